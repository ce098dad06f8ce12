//! Helpers of the midge test suites.
