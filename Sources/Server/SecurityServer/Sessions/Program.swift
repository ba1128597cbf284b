/// What a process runs, as far as it is known before anybody reads it: the file.
///
/// Processes that run the same file share what is shared out by program. It is no identity: a program that wants to count as
/// several makes copies of itself.
struct Program: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}

/// Those who share what is shared out by program: processes of one user that run the same file, or of whom that is not known.
struct BudgetOwner: Hashable, Sendable {
    let user: UInt32
    let program: Program?
}
