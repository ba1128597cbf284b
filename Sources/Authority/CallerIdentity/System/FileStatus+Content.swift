import SystemCalls

extension FileStatus {
    /// What stays equal as long as the bytes of a file do: nobody but root can set the time of the last inode change.
    struct Content: Hashable, Sendable {
        let key: FileKey
        let size: Int64
        let modified: Int64
        let changed: Int64
    }

    var content: Content { Content(key: key, size: size, modified: modified, changed: changed) }
}
