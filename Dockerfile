# One build for all services; a target per service. Works on node:24-bookworm-slim and node:20-bookworm-slim.
ARG NODE_IMAGE=node:24-bookworm-slim

# Manifests alone, so that a change of code does not install everything again.
FROM ${NODE_IMAGE} AS manifests
WORKDIR /app
COPY . .
RUN find . -name node_modules -prune -o \( -name package.json -o -name package-lock.json -o -name .npmrc \) -print | xargs cp --parents -t /srv

FROM ${NODE_IMAGE} AS dependencies
# better-sqlite3 is compiled here; no compiler reaches the images that run.
RUN apt-get update && apt-get install -y --no-install-recommends g++ make python3 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=manifests /srv ./
RUN npm ci

FROM dependencies AS build
COPY . .
RUN npx nx run-many -t build --output-style=static && npm prune --omit=dev && rm -rf .nx

FROM ${NODE_IMAGE} AS runtime
ENV NODE_ENV=production HOLDFAST_STATE_DIR=/state HOLDFAST_RUNTIME_DIR=/run/holdfast
WORKDIR /app
# Volumes take over the owner of what they cover, so that nobody needs to be root at run time.
RUN mkdir -p /state/sessions /state/holder /run/holdfast /workspace && chown -R node:node /state /run/holdfast /workspace && chmod 0700 /state /run/holdfast
COPY --from=build --chown=root:root /app /app
USER node

FROM runtime AS session-holder
USER root
RUN apt-get update && apt-get install -y --no-install-recommends bash ca-certificates git less procps && rm -rf /var/lib/apt/lists/*
USER node
ENV HOME=/home/node
CMD ["node", "apps/holder/dist/starter.cjs"]

FROM runtime AS session-supervisor
CMD ["node", "apps/session-supervisor/dist/main.js"]

FROM runtime AS task-service
CMD ["node", "apps/task-service/dist/main.js"]

FROM runtime AS reaper
CMD ["node", "apps/reaper/dist/main.js"]

FROM runtime AS gateway
ENV HOLDFAST_DASHBOARD_DIR=/app/apps/dashboard/dist HOLDFAST_GATEWAY_HOST=0.0.0.0
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:7070/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "apps/gateway/dist/main.js"]
