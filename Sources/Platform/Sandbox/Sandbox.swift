/// How the daemons give up what they do not need, so that an error in a daemon gives an intruder little.
///
/// A ``Confinement`` describes a daemon: which system calls it makes (`Filter/`, seccomp) and which files it opens in
/// which way (`Files/`, Landlock). `Process/` has the measures for every process: limits, environment, no new
/// privileges, not dumpable, overwriting of freed memory. `Profiles/` has the confinement of each process.
///
/// A measure that a kernel or a container does not offer is left out, and ``SandboxState`` reports the reason. The
/// daemon runs without it, for a keychain that does not open protects nothing. A report asks the kernel which measures
/// are on; it does not rely on memory.
///
/// Nothing here can be undone: what a process gave up stays so until it ends, and in every program that it executes.
package enum Sandbox {}
