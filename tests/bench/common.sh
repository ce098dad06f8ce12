# What run and callgrind share: where things are, and how they are built.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
bin=$target/bench/release

die() {
    echo "$name: $*" >&2
    exit 1
}

need() {
    command -v "$1" >/dev/null 2>&1 || die "the tool '$1' is missing; $2."
}

build_bench() {
    need cargo "install Rust"
    need python3 "install Python 3.10 or newer"
    cargo build --quiet --release --locked --manifest-path "$here/Cargo.toml" --target-dir "$target/bench" ||
        die "the packages of tests/bench do not build."
}

# Sets server=(COMMAND...): the arguments, or midge's everything, built.
choose_server() {
    if [ "$#" -gt 0 ]; then
        server=("$@")
        return
    fi
    cargo build --quiet --release --manifest-path "$root/Cargo.toml" --bin everything ||
        die "the server 'everything' does not build."
    server=("$target/release/everything")
}
