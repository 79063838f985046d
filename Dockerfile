# The dashboard with its worker, on port 8050, runs kept in /data:
#   docker build -t illuminate .
#   docker run --rm -p 127.0.0.1:8050:8050 -v illuminate:/data illuminate
# It prints the link to open, with the token in it; -e MAPELITES_TOKEN=... chooses another token.
# With REQUIREMENTS=requirements-proof.txt it proves too; the solver adds some 66 MB.
# With REQUIREMENTS=requirements-cluster.txt the same image also serves as Dask scheduler and worker (compose.yaml).
ARG BASE=python:3.13-slim-bookworm

FROM ${BASE} AS build
ARG REQUIREMENTS=requirements.txt
COPY constraints.txt constraints-run.txt requirements.txt requirements-cluster.txt requirements-proof.txt /tmp/
# What only developers of the packages need stays out: their tests, headers and source maps.
RUN python3 -m venv /opt/venv \
    && /opt/venv/bin/pip install --quiet --no-cache-dir --no-compile --disable-pip-version-check \
        -c /tmp/constraints-run.txt -r /tmp/${REQUIREMENTS} setuptools \
    && cd /opt/venv/lib/python3*/site-packages \
    && find . -type d \( -name tests -o -name __pycache__ -o -name include -o -name labextension \) -prune -exec rm -rf {} + \
    && find . -type f \( -name '*.map' -o -name '*.a' \) -delete \
    && rm -rf plotly/package_data/datasets
# Byte code for what is really imported, and for nothing else.
RUN /opt/venv/bin/python -c "import dash, dash_mantine_components, plotly.graph_objects, numba, diskcache, orjson, \
    prometheus_client, flask_caching.backends, gunicorn.app.wsgiapp, gunicorn.workers.gthread"
# The dashboard itself, and away with what installed it.
COPY . /src
RUN /opt/venv/bin/pip install --quiet --no-cache-dir --disable-pip-version-check --no-build-isolation --no-deps \
        -c /tmp/constraints-run.txt /src \
    && /opt/venv/bin/pip uninstall --quiet --yes setuptools pip

FROM ${BASE}
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends tini >/dev/null \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
    && useradd --create-home --uid 10001 illuminate \
    && install -d -o illuminate -g illuminate -m 0700 /data
COPY --from=build /opt/venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 MAPELITES_DATA=/data
USER illuminate
WORKDIR /home/illuminate
# Compiles every search and every problem, so that the first run starts at once; kept in the user's cache.
RUN illuminate compile
VOLUME /data
EXPOSE 8050
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import http.client as h; c = h.HTTPConnection('127.0.0.1', 8050, timeout=4); c.request('GET', '/healthz'); raise SystemExit(c.getresponse().status != 200)"]
ENTRYPOINT ["tini", "--"]
CMD ["illuminate", "--no-browser", "--host", "0.0.0.0"]
