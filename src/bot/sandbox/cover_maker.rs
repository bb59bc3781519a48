//! Which program covers the files of `/proc` in a box that describe the host, and where it finds
//! the covers.

/// The host's own path, and the path at which a box sees its own.
pub const PROC: &str = "/proc";
/// The settings of the kernel, below that path.
pub const SYS: &str = "sys";
/// Where process 1 of a box finds all covers, before it covers this place too.
pub const COVERS: &str = "/proc/sys";

/// The program that mounts the covers. The box is the same with both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoverMaker {
    /// Process 1 of the box, before it starts the bot. It needs the right to mount in its own user
    /// namespace, which it gives up before the bot exists.
    #[default]
    FirstProcess,
    /// bubblewrap. It reads the whole table of mounts again for each mount, so forty more of them
    /// take as long as the rest of a start. Hosts that let bubblewrap pass on no rights need it,
    /// such as Ubuntu with its profile for `AppArmor`.
    Bubblewrap,
}
