"""Power systems, RC34 to RC43: the flow of power in a network, in rectangular coordinates and per unit."""

from __future__ import annotations

from math import pi

import numpy as np
from numba.extending import register_jitable

from mapelites.core.on_demand import kernel_on_demand

# `data` begins with the conductances G and the susceptances B of the network, row by row, then the loads.
# A voltage is V = u + jw, a current I = Y V = a + jb, a power P + jQ.


@register_jitable
def _currents(conductance, susceptance, u, w):
    """I = (G + jB) V."""
    n = u.size
    a, b = np.zeros(n), np.zeros(n)
    for i in range(n):
        for k in range(n):
            g, s = conductance[i, k], susceptance[i, k]
            a[i] += g * u[k] - s * w[k]
            b[i] += g * w[k] + s * u[k]
    return a, b


@register_jitable
def _imbalance(u, w, a, b, P, Q, first, out, at):
    """I - conj((P + jQ) / V) of the buses from `first` on: all real parts, then all imaginary parts."""
    n = u.size
    for k in range(first, n):
        square = u[k] * u[k] + w[k] * w[k]
        out[at + k - first] = a[k] - (P[k] * u[k] + Q[k] * w[k]) / square
        out[at + n - 2 * first + k] = b[k] - (P[k] * w[k] - Q[k] * u[k]) / square


@register_jitable
def _voltages(x, n, first):
    """The voltages of n buses, of which those from `first` on are variables."""
    free = n - first
    u, w = np.zeros(n), np.zeros(n)
    u[0] = 1.0
    for k in range(free):
        u[first + k], w[first + k] = x[k], x[free + k]
    return u, w


@register_jitable
def _powers(x, n, first, at):
    """What variables from `at` on say of the buses from `first` on."""
    found = np.zeros(n)
    for k in range(n - first):
        found[first + k] = x[at + k]
    return found


@kernel_on_demand
def rc34(x, data, out):
    n, free = 30, 27
    G, B = data[:900].reshape((n, n)), data[900:1800].reshape((n, n))
    load, reactive = data[1800:1830], data[1830:1860]
    u, w = _voltages(x, n, 3)
    u[1], w[1] = np.cos(4.0 * pi / 3.0), np.sin(4.0 * pi / 3.0)
    u[2], w[2] = np.cos(2.0 * pi / 3.0), np.sin(2.0 * pi / 3.0)
    a, b = _currents(G, B, u, w)
    P, Q = _powers(x, n, 3, 54), _powers(x, n, 3, 81)
    _imbalance(u, w, a, b, P, Q, 3, out, 1)
    for k in range(3, n):
        out[1 + 2 * free + k - 3] = P[k] - load[k]
        out[1 + 3 * free + k - 3] = Q[k] - reactive[k]
    for i, k in enumerate((8, 15, 20, 23, 29)):
        out[1 + 2 * free + k - 3] -= x[108 + i]
        out[1 + 3 * free + k - 3] -= x[113 + i]
    out[0] = np.hypot(a[0] + a[1] + a[2], b[0] + b[1] + b[2])
    real = a[0] + (u[1] * a[1] - w[1] * b[1]) + (u[2] * a[2] - w[2] * b[2])
    imaginary = b[0] + (u[1] * b[1] + w[1] * a[1]) + (u[2] * b[2] + w[2] * a[2])
    out[0] += np.hypot(real, imaginary)


@register_jitable
def _feeder(x, data, out):
    """What RC35 and RC36 share; the balances of P and Q are still without what the generators give."""
    n, free = 38, 37
    G, B = data[:1444].reshape((n, n)), data[1444:2888].reshape((n, n))
    u, w = _voltages(x, n, 1)
    a, b = _currents(G, B, u, w)
    P, Q = _powers(x, n, 1, 74), _powers(x, n, 1, 111)
    _imbalance(u, w, a, b, P, Q, 1, out, 1)
    active = a[0] + P[1:].sum()  # V_1 is 1
    reactive = -b[0] + Q[1:].sum()
    for k in range(1, n):
        size = np.sqrt(u[k] * u[k] + w[k] * w[k])
        p0, ap, q0, aq = data[2888 + k], data[2926 + k], data[2964 + k], data[3002 + k]
        out[1 + 2 * free + k - 1] = P[k] + p0 * size**ap
        out[1 + 3 * free + k - 1] = Q[k] + q0 * size**aq
    for i in range(5):
        out[1 + 2 * free + 32 + i] -= x[148 + i]
    return active, reactive


@kernel_on_demand
def rc35(x, data, out):
    out[0] = _feeder(x, data, out)[0]


@kernel_on_demand
def rc36(x, data, out):
    active, reactive = _feeder(x, data, out)
    for i in range(5):
        out[1 + 111 + 32 + i] -= x[153 + i]
    out[0] = 0.5 * active + 0.5 * reactive


@register_jitable
def _optimal_flow(x, data, out):
    """What RC37 to RC39 share; their values are the loss, the cost of fuel, and what is generated beyond the loads."""
    n, free = 30, 29
    G, B = data[:900].reshape((n, n)), data[900:1800].reshape((n, n))
    load, reactive = data[1800:1830], data[1830:1860]
    u, w = _voltages(x, n, 1)
    a, b = _currents(G, B, u, w)
    P, Q = _powers(x, n, 1, 58), _powers(x, n, 1, 87)
    _imbalance(u, w, a, b, P, Q, 1, out, 1)
    for k in range(1, n):
        out[1 + 2 * free + k - 1] = P[k] + load[k]
        out[1 + 3 * free + k - 1] = Q[k] + reactive[k]
    generated = a[0]  # at bus 1, where V is 1
    cost = 2.0 * generated + 0.02 * generated**2
    linear, quadratic = (1.75, 1.0, 3.25, 3.0, 3.0), (0.0175, 0.0625, 0.00834, 0.025, 0.0025)
    for i, k in enumerate((1, 12, 21, 22, 26)):
        out[1 + 2 * free + k - 1] -= x[116 + i]
        out[1 + 3 * free + k - 1] -= x[121 + i]
        generated += x[116 + i]
        cost += linear[i] * x[116 + i] + quadratic[i] * x[116 + i] ** 2
    return a[0] + P[1:].sum(), cost, generated - load.sum()


@kernel_on_demand
def rc37(x, data, out):
    out[0] = _optimal_flow(x, data, out)[0]


@kernel_on_demand
def rc38(x, data, out):
    out[0] = _optimal_flow(x, data, out)[1]


@kernel_on_demand
def rc39(x, data, out):
    _, cost, loss = _optimal_flow(x, data, out)
    out[0] = cost + 0.75 * loss


@register_jitable
def _droop(x, data, out, active_droop, reactive_droop):
    """What RC40, RC42 and RC43 share: an island whose frequency and voltage fall with what its generators give."""
    n = 38
    frequency = x[74]
    G, B = np.zeros((n, n)), np.zeros((n, n))
    for line in range(37):
        at = 6 * line
        i, j = int(data[at]) - 1, int(data[at + 1]) - 1
        R, X, shunt, tap = data[at + 2], data[at + 3] * frequency, data[at + 4], data[at + 5]
        size = R * R + X * X
        g, b = R / size, -X / size
        G[i, j] -= g / tap
        G[j, i] -= g / tap
        B[i, j] -= b / tap
        B[j, i] -= b / tap
        G[i, i] += g / tap**2
        B[i, i] += b / tap**2 + shunt
        G[j, j] += g
        B[j, j] += b + shunt
    u, w = _voltages(x, n, 1)
    u[0] = x[75] + 1e-5
    a, b = _currents(G, B, u, w)
    P, Q = np.empty(n), np.empty(n)
    for k in range(n):
        size = np.sqrt(u[k] * u[k] + w[k] * w[k])
        P[k] = -data[222 + k] * size ** data[260 + k]
        Q[k] = -data[298 + k] * size ** data[336 + k]
        if k >= 33:
            P[k] += active_droop[k - 33] * (1.0 - frequency)
            Q[k] += reactive_droop[k - 33] * (1.0 - size)
    _imbalance(u, w, a, b, P, Q, 0, out, 1)
    return _squares(u, w, a, b, P, Q, 0), P.sum(), Q.sum()


@register_jitable
def _squares(u, w, a, b, P, Q, first):
    """The squares of what is missing from every balance of power."""
    total = 0.0
    for k in range(first, u.size):
        total += (P[k] - (u[k] * a[k] + w[k] * b[k])) ** 2 + (Q[k] - (w[k] * a[k] - u[k] * b[k])) ** 2
    return total


@kernel_on_demand
def rc40(x, data, out):
    out[0] = _droop(x, data, out, data[374:379], data[379:384])[0]


@kernel_on_demand
def rc42(x, data, out):
    out[0] = _droop(x, data, out, x[76:81], x[81:86])[1]


@kernel_on_demand
def rc43(x, data, out):
    _, active, reactive = _droop(x, data, out, x[76:81], x[81:86])
    out[0] = 0.5 * (reactive + active)


@kernel_on_demand
def rc41(x, data, out):
    n = 38
    G, B = data[:1444].reshape((n, n)), data[1444:2888].reshape((n, n))
    u, w = _voltages(x, n, 1)
    a, b = _currents(G, B, u, w)
    P, Q = np.empty(n), np.empty(n)
    for k in range(n):
        size = np.sqrt(u[k] * u[k] + w[k] * w[k])
        p0, ap, q0, aq = data[2888 + k], data[2926 + k], data[2964 + k], data[3002 + k]
        P[k] = (0.2 if k >= 33 else 0.0) - p0 * size**ap
        Q[k] = (0.18 if k >= 33 else 0.0) - q0 * size**aq
    _imbalance(u, w, a, b, P, Q, 1, out, 1)
    out[0] = _squares(u, w, a, b, P, Q, 1)
