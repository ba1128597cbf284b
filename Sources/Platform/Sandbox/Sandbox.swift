/// How the daemons give up what they do not need, so that an error in one of them gets an intruder little.
///
/// A daemon is described by a ``Confinement``: which system calls it makes (`Filter/`, seccomp), which files it opens how
/// (`Files/`, Landlock), and what a process of ours is like besides (`Process/`: limits, environment, no new privileges,
/// not dumpable, memory that is overwritten when it is freed). `Profiles/` says it for each of the processes.
///
/// What a kernel or a container does not offer is left out and reported, with the reason, in ``SandboxState``; a daemon runs
/// without it, for a keychain that does not open protects nothing. What is on is asked of the kernel when a report is made, not
/// remembered.
///
/// Nothing here is undone: what was given up stays so until the process ends, in every program that it executes.
package enum Sandbox {}
