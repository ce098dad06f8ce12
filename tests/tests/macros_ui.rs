//! What the macros refuse, in the words that a user reads; and what they take.

#[test]
fn declarations_that_do_not_compile_say_what_to_do() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/*.rs");
    cases.pass("ui/pass/*.rs");
}
