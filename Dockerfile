# forkhestra, forge-tasks and ralph-runner as static programs, in an image that has git. See docs/install.md.
#
#   docker build -t forkhestra .
#   docker build --target programs --output bin .     only the three programs, into ./bin

# Programs that are built here are linked with musl, and so statically. Nothing but crates is fetched.
FROM rust:1.91-alpine AS build
WORKDIR /source
COPY Cargo.toml Cargo.lock ./
COPY crates crates
RUN cargo install --locked --path crates/forkhestra --root /programs

FROM scratch AS programs
COPY --from=build /programs/bin/ /

FROM buildpack-deps:bookworm-scm
COPY --from=programs / /usr/local/bin/
COPY LICENSE-APACHE LICENSE-MIT /usr/local/share/doc/forkhestra/
RUN forkhestra man --dir /usr/local/share/man/man1 \
    && mkdir -p /etc/bash_completion.d \
    && forkhestra completions bash > /etc/bash_completion.d/forkhestra \
    && useradd --create-home agent
# Some agents refuse to work without questions for root.
USER agent
WORKDIR /work
ENTRYPOINT ["forkhestra"]
CMD ["--help"]
