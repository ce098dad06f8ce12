"""What is in the server's large resources, as it is in the fixture `examples/src/everything/large.rs`."""

from __future__ import annotations

MULTIPLIER = 0x9E37_79B9_7F4A_7C15
MASK = 2**64 - 1

# Byte n is the highest of the 64 bits of n * MULTIPLIER. One long integer holds the products of many bytes at once, each in
# a lane of nine bytes: the sum of two of them carries into the ninth and never into the next lane.
LANES = 4096
LANE_BYTES = 9
OFFSETS = int.from_bytes(b"".join((n * MULTIPLIER & MASK).to_bytes(LANE_BYTES, "little") for n in range(LANES)), "little")
ONES = int.from_bytes((1).to_bytes(LANE_BYTES, "little") * LANES, "little")


def large_bytes(start: int, end: int) -> bytes:
    """Bytes `start` to `end` of every large blob."""
    blocks = []
    for block in range(start, end, LANES):
        products = OFFSETS + ONES * (block * MULTIPLIER & MASK)
        blocks.append(products.to_bytes(LANES * LANE_BYTES, "little")[7::LANE_BYTES])
    return b"".join(blocks)[: end - start]
