# The command line of tactus-temporal: a worker, or any other command in place of it.
#   docker build -t tactus-temporal .
#   docker run --rm -e TEMPORAL_ADDRESS=temporal:7233 -v "$PWD/procedures:/srv/tactus:ro" tactus-temporal

FROM node:24.11.1-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/build.mjs --package \
  && mkdir /pack \
  && npm pack --ignore-scripts --pack-destination /pack

FROM node:24.11.1-bookworm-slim
ENV NODE_ENV=production
COPY --from=build /pack /pack
RUN npm install --prefix /opt/tactus --omit=dev --ignore-scripts --no-audit --no-fund /pack/*.tgz \
  && rm -rf /pack /root/.npm \
  && install -d -o node -g node /srv/tactus /srv/files /srv/state

# Nothing but these two folders and /tmp is written to: the root file system can be read-only.
VOLUME ["/srv/files", "/srv/state"]
ENV TACTUS_TEMPORAL_FILES=/srv/files \
  TACTUS_TEMPORAL_HEALTH=0.0.0.0:8701 \
  TACTUS_TEMPORAL_LOG_FORMAT=json
# By number, so that Kubernetes can see that it isn't root: it is the user `node`.
USER 1000:1000
WORKDIR /srv/tactus
EXPOSE 8701
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8701/livez').then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/opt/tactus/node_modules/tactus-temporal/bin/tactus-temporal.mjs"]
CMD ["worker"]
