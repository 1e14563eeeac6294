# The daemon alone, not root:  docker build -t shaped . && docker run --rm -p 127.0.0.1:8080:8080 shaped
FROM debian:bookworm-slim AS build
WORKDIR /src
COPY . .
RUN . deploy/packages.sh && need_packages $BUILD_PACKAGES
RUN deploy/profiled.sh /build -Dtests=false -Dstrip=true --prefix=/usr \
    && meson install -C /build --destdir /out --skip-subprojects --tags bin

FROM debian:bookworm-slim
COPY deploy/packages.sh /tmp/packages.sh
RUN . /tmp/packages.sh && need_packages $RUNTIME_PACKAGES && rm -rf /var/lib/apt/lists/* /tmp/packages.sh
COPY --from=build /out/usr/bin/shaped /usr/bin/shaped
USER 10001:10001
EXPOSE 8080
ENV SHAPED_LISTEN=0.0.0.0:8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=2s CMD ["/usr/bin/shaped", "health", "--url", "http://127.0.0.1:8080"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/shaped", "serve"]
