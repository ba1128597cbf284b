import ChatelaineModel
import Glibc

/// The absolute path of a keychain's file, resolved from any name that a program uses.
///
/// The client resolves names, since working folder and home are its own; securityd accepts only resolved paths. Two
/// paths are equal where their bytes are: an accent written in two ways makes two names for the kernel.
package struct KeychainPath: Sendable {
    /// Where a keychain lies, which decides who opens its file.
    package enum Place: Sendable {
        /// Directly in the user's folder of keychains: the user's securityd opens the file.
        case own
        /// Directly in the machine's folder: root's securityd opens the file, and others read it.
        case machine
        /// The place that macOS calls the system roots: no file, but the certificates that the distribution trusts.
        case systemRoots
        /// Anywhere else: the program that names the keychain opens the file.
        case elsewhere
    }

    package let text: String
    package let place: Place

    /// The end of each file name in the folders of keychains, as on macOS.
    private static let suffix = Array("-db".utf8)
    /// Where macOS keeps a user's keychains, below the home: another name for our folder.
    private static let appleFolder = "/Library/Keychains"
    /// Where macOS keeps the machine's keychains: another name for the machine's folder.
    private static let appleMachine = components(Array(appleFolder.utf8))
    /// Where macOS keeps the certificates that everybody trusts.
    package static let systemRoots = "/System/Library/Keychains/SystemRootCertificates.keychain"
    private static let rootsPath = components(Array(systemRoots.utf8))
    private static let tilde = Array("~\(appleFolder)/".utf8)
    private static let slash = UInt8(ascii: "/")

    /// Resolves a name or a path as text, with `.` and `..`, without looking at the disk.
    ///
    /// - Parameters:
    ///   - name: a path, or without a slash the name of a file in `folder`.
    ///   - folder: the folder of keychains; absolute.
    ///   - machine: the folder of the machine's keychains; absolute.
    ///   - home: the home whose `Library/Keychains` is another name for `folder`; absolute.
    ///   - workingFolder: the caller's working folder; asked only for relative paths.
    /// - Throws: `errSecParam` for what cannot be a file's path.
    package init(
        _ name: String, in folder: String, machine: String = KeychainFolders.machine, home: String? = nil,
        workingFolder: () -> String? = { nil }
    ) throws(KeychainError) {
        let name = Array(name.utf8)
        guard !name.isEmpty else { throw Self.refused("a keychain's name or path is empty") }
        guard !name.contains(0) else { throw Self.refused("a keychain's path has a zero byte in it") }
        guard name.count < Int(PATH_MAX) else { throw Self.refused("a keychain's path is longer than a path can be") }
        var path = Self.components(try Self.absolute(name, folder, home, workingFolder))
        guard let last = name.split(separator: Self.slash, omittingEmptySubsequences: false).last,
            ![[], Array(".".utf8), Array("..".utf8)].contains(Array(last)), var file = path.popLast()
        else { throw Self.refused("a keychain's path names a folder, and has to name a file") }
        if path + [file] == Self.rootsPath {
            (text, place) = (Self.systemRoots, .systemRoots)
            return
        }
        let isOfHome = home.map { path == Self.components(Array(($0 + Self.appleFolder).utf8)) } ?? false
        // The user of many a service has / for a home, where both of macOS's folders have the same path.
        let isOfMachine = path == Self.appleMachine && !name.starts(with: Self.tilde)
        if path == Self.components(Array(folder.utf8)) || isOfHome && !isOfMachine {
            place = .own
        } else if isOfMachine || path == Self.components(Array(machine.utf8)) {
            place = .machine
        } else {
            place = .elsewhere
        }
        if place != .elsewhere, !file.reversed().starts(with: Self.suffix.reversed()) { file += Self.suffix }
        let parent =
            switch place {
            case .own: Array(folder.utf8)
            case .machine: Array(machine.utf8)
            case .elsewhere, .systemRoots: path.flatMap { [Self.slash] + $0 }
            }
        let whole = parent + [Self.slash] + file
        guard file.count <= Int(NAME_MAX), whole.count < Int(PATH_MAX) else {
            throw Self.refused(
                "a keychain's path is longer than a path can be; a name has \(NAME_MAX) bytes at the most, with -db at its end"
            )
        }
        text = String(decoding: whole, as: UTF8.self)
    }

    /// Accepts a path that a client has resolved.
    ///
    /// - Throws: `errSecParam` for any other path.
    package init(
        resolved text: String, in folder: String, machine: String = KeychainFolders.machine
    ) throws(KeychainError) {
        // Each request names its keychains, and most lie in `folder`: taking such a path apart costs more than finding
        // an item.
        var (path, start) = (text, folder)
        if path.withUTF8({ path in start.withUTF8 { Self.isPlain(path, in: $0) } }) {
            self.init(plain: text)
            return
        }
        try self.init(text, in: folder, machine: machine)
        guard self.text.utf8.elementsEqual(text.utf8) else {
            throw Self.refused("the path of a keychain was not resolved before it was sent: \(self.text) was meant")
        }
    }

    private init(plain text: String) { (self.text, place) = (text, .own) }

    /// Resolves a name for the calling process.
    package init(
        _ name: String, _ deployment: Deployment, _ environment: ProcessEnvironment = .current
    ) throws(KeychainError) {
        try self.init(name, in: deployment.keychainsFolder, home: environment.home) { Self.workingFolder() }
    }

    private static func absolute(
        _ name: [UInt8], _ folder: String, _ home: String?, _ workingFolder: () -> String?
    ) throws(KeychainError) -> [UInt8] {
        if name.first == slash { return name }
        if let home, name.starts(with: tilde) { return Array(home.utf8) + name.dropFirst() }
        guard name.contains(slash) else { return Array(folder.utf8) + [slash] + name }
        guard let working = workingFolder(), working.utf8.first == slash else {
            throw refused("a keychain's path is relative, and the working folder is not known; use an absolute path")
        }
        return Array(working.utf8) + [slash] + name
    }

    /// Whether the path is `folder` and a name in it, as resolving gives it. False for other resolved paths, too.
    private static func isPlain(_ path: UnsafeBufferPointer<UInt8>, in folder: UnsafeBufferPointer<UInt8>) -> Bool {
        let name = path.dropFirst(folder.count + 1)
        return path.count < Int(PATH_MAX) && path.starts(with: folder)
            && path.dropFirst(folder.count).first == slash && name.count <= Int(NAME_MAX)
            && name.count > suffix.count && name.suffix(suffix.count).elementsEqual(suffix)
            && !name.contains(slash) && !name.contains(0)
    }

    /// The names in an absolute path, with `.` and `..` resolved.
    private static func components(_ path: [UInt8]) -> [[UInt8]] {
        var names: [[UInt8]] = []
        for name in path.split(separator: slash) where Array(name) != Array(".".utf8) {
            if Array(name) == Array("..".utf8) { _ = names.popLast() } else { names.append(Array(name)) }
        }
        return names
    }

    /// Nil where the working folder was removed, or its path is not UTF-8.
    private static func workingFolder() -> String? {
        // SAFETY: the call makes the string, or answers nil; it is copied and freed once.
        guard let folder = getcwd(nil, 0) else { return nil }
        defer { free(folder) }
        return String(validatingCString: folder)
    }

    private static func refused(_ reason: String) -> KeychainError { KeychainError(.param, reason) }
}

extension KeychainPath: Hashable {
    package static func == (one: Self, other: Self) -> Bool {
        var (one, other) = (one.text, other.text)
        return one.withUTF8 { one in other.withUTF8 { one.count == $0.count && one.elementsEqual($0) } }
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
