# The dashboard with its worker, on port 8050, runs kept in /data:
#   docker build -t illuminate .
#   docker run --rm -p 127.0.0.1:8050:8050 -v illuminate:/data illuminate
# With REQUIREMENTS=requirements-cluster.txt the same image also serves as Dask scheduler and worker (compose.yaml).
ARG BASE=python:3.13-slim-bookworm

FROM ${BASE} AS build
ARG REQUIREMENTS=requirements.txt
COPY requirements.txt requirements-cluster.txt /tmp/
RUN python3 -m venv /opt/venv \
    && /opt/venv/bin/pip install --quiet --no-cache-dir --disable-pip-version-check -r /tmp/${REQUIREMENTS} \
    && /opt/venv/bin/pip uninstall --quiet --yes pip \
    && find /opt/venv -type d \( -name tests -o -name __pycache__ \) -prune -exec rm -rf {} +

FROM ${BASE}
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends tini >/dev/null \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 illuminate \
    && install -d -o illuminate -g illuminate -m 0700 /data
COPY --from=build /opt/venv /opt/venv
WORKDIR /app
COPY --chown=illuminate app.py LICENSE ./
COPY --chown=illuminate assets assets
COPY --chown=illuminate components components
COPY --chown=illuminate mapelites mapelites
ENV PATH=/opt/venv/bin:$PATH PYTHONPATH=/app PYTHONUNBUFFERED=1 MAPELITES_DATA=/data
RUN chown illuminate /app
USER illuminate
# Compiles every search and every problem, so that the first run starts at once.
RUN python -m mapelites compile && python -c "import app"
VOLUME /data
EXPOSE 8050
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8050/health', timeout=4)"]
ENTRYPOINT ["tini", "--"]
CMD ["python", "app.py", "--host", "0.0.0.0"]
