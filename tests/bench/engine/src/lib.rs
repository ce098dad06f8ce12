//! The benchmark is in `benches/`.
