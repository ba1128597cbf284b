/// The rights of a process beneath a folder, as Landlock defines them: `LANDLOCK_ACCESS_FS_` of linux/landlock.h.
struct FileRight: OptionSet, Sendable {
    let rawValue: UInt64

    static let execute = FileRight(rawValue: 1 << 0)
    static let writeFile = FileRight(rawValue: 1 << 1)
    static let readFile = FileRight(rawValue: 1 << 2)
    static let readFolder = FileRight(rawValue: 1 << 3)
    static let removeFolder = FileRight(rawValue: 1 << 4)
    static let removeFile = FileRight(rawValue: 1 << 5)
    static let makeFolder = FileRight(rawValue: 1 << 7)
    static let makeFile = FileRight(rawValue: 1 << 8)
    /// To link or rename a file into another folder; version 2.
    static let refer = FileRight(rawValue: 1 << 13)
    /// To truncate a file; version 3.
    static let truncate = FileRight(rawValue: 1 << 14)

    /// To read files and folders only.
    static let reading: FileRight = [.readFile, .readFolder]
    /// To keep plain files and folders; our processes make no devices, pipes, sockets or symbolic links.
    static let keeping: FileRight = [
        .reading, .writeFile, .removeFile, .removeFolder, .makeFile, .makeFolder, .refer, .truncate,
    ]
    /// The rights that apply to a single file.
    static let ofFiles: FileRight = [.execute, .writeFile, .readFile, .truncate]

    /// Every right that a version of Landlock governs, including that for devices (version 5).
    static func known(to version: Int32) -> FileRight {
        let count =
            switch version {
            case ...0: 0
            case 1: 13
            case 2: 14
            case 3, 4: 15
            default: 16
            }
        return FileRight(rawValue: (1 << UInt64(count)) - 1)
    }
}
