import ChatelaineModel
import Glibc

/// The absolute path of a keychain's file, by whatever name a program knows it.
///
/// The client resolves what it is given, since working folder and home are its own. securityd takes only what is resolved already. Two paths
/// are the same where their bytes are: to the kernel an accent may be written in two ways.
package struct KeychainPath: Sendable {
    /// Where a keychain lies, which says who opens its file.
    package enum Place: Sendable {
        /// In the user's folder of keychains itself: the user's securityd opens it.
        case own
        /// In the machine's folder itself: root's securityd opens it, and others read it.
        case machine
        /// What macOS calls the system roots: no file here, but what the distribution trusts.
        case systemRoots
        /// Anywhere else: the program that names it opens it.
        case elsewhere
    }

    package let text: String
    package let place: Place

    /// At the end of each name in that folder, as on macOS.
    private static let suffix = Array("-db".utf8)
    /// Where macOS keeps a user's keychains, below the home: the same as our folder.
    private static let appleFolder = "/Library/Keychains"
    /// Where it keeps the machine's: the same as the machine's folder.
    private static let appleMachine = components(Array(appleFolder.utf8))
    /// Where macOS keeps the certificates of those that everybody trusts.
    package static let systemRoots = "/System/Library/Keychains/SystemRootCertificates.keychain"
    private static let rootsPath = components(Array(systemRoots.utf8))
    private static let tilde = Array("~\(appleFolder)/".utf8)
    private static let slash = UInt8(ascii: "/")

    /// Resolves a name or a path, with `.` and `..` as text: nothing is looked for on the disk.
    ///
    /// - Parameters:
    ///   - name: a name of a file in the folder of keychains where it has no slash.
    ///   - folder: of keychains; absolute.
    ///   - machine: the folder of the machine's keychains; absolute.
    ///   - home: whose `Library/Keychains` is that folder, too; absolute.
    ///   - workingFolder: that of the caller; asked for relative paths alone.
    /// - Throws: `errSecParam` for what can be no file's path.
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
        // Many a service's user has / for a home, where the two folders of macOS' are one.
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

    /// What a client has resolved.
    ///
    /// - Throws: `errSecParam` for anything else.
    package init(
        resolved text: String, in folder: String, machine: String = KeychainFolders.machine
    ) throws(KeychainError) {
        // Each request names its keychains, and most lie there: to take such a path apart costs more than to look for an item.
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

    /// For the process that calls.
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

    /// Whether it is the folder and a name in it, as resolving gives it; many others are resolved as well.
    private static func isPlain(_ path: UnsafeBufferPointer<UInt8>, in folder: UnsafeBufferPointer<UInt8>) -> Bool {
        let name = path.dropFirst(folder.count + 1)
        return path.count < Int(PATH_MAX) && path.starts(with: folder)
            && path.dropFirst(folder.count).first == slash && name.count <= Int(NAME_MAX)
            && name.count > suffix.count && name.suffix(suffix.count).elementsEqual(suffix)
            && !name.contains(slash) && !name.contains(0)
    }

    /// The names in an absolute path, without `.` and `..`.
    private static func components(_ path: [UInt8]) -> [[UInt8]] {
        var names: [[UInt8]] = []
        for name in path.split(separator: slash) where Array(name) != Array(".".utf8) {
            if Array(name) == Array("..".utf8) { _ = names.popLast() } else { names.append(Array(name)) }
        }
        return names
    }

    /// Nil where it was removed, or is not UTF-8.
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
