//! The border to C: a stream of two functions, the entry point, and the panic handler that does not link.

use crate::drive;
use core::ffi::c_int;

unsafe extern "C" {
    fn midge_panic_path_found() -> !;
    fn probe_read(bytes: *mut u8, len: usize) -> isize;
    fn probe_write(bytes: *const u8, len: usize) -> isize;
    fn probe_now_ms() -> u64;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: nothing defines this function, so no program in which it can be called exists.
    unsafe { midge_panic_path_found() }
}

/// Some bytes from the program's input; `None` when it failed.
pub fn read(bytes: &mut [u8]) -> Option<usize> {
    // SAFETY: pointer and length are of one slice, which C writes to during the call only.
    let n = unsafe { probe_read(bytes.as_mut_ptr(), bytes.len()) };
    usize::try_from(n).ok()
}

/// Writes some bytes to the program's output; `None` when it failed.
pub fn write(bytes: &[u8]) -> Option<usize> {
    // SAFETY: pointer and length are of one slice, which C reads during the call only.
    let n = unsafe { probe_write(bytes.as_ptr(), bytes.len()) };
    usize::try_from(n).ok()
}

/// The program's clock.
pub fn now_ms() -> u64 {
    // SAFETY: the function takes nothing and keeps nothing.
    unsafe { probe_now_ms() }
}

/// Serves until the input ends: by the blocking loop (0), the async loop (1, feature `async`), or the ports byte by byte (2);
/// or is a client (3).
/// 0 if all went well.
#[unsafe(no_mangle)]
pub extern "C" fn probe_serve(how: c_int) -> c_int {
    let served = match how {
        0 => drive::blocking(),
        #[cfg(feature = "async")]
        1 => crate::waiting::nonblocking(),
        3 => crate::client::talk(),
        _ => drive::ports(),
    };
    match served {
        Ok(()) => 0,
        Err(_) => 1,
    }
}
