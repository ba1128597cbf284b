import ChatelaineModel
import Glibc

/// The options `-A` and `-T`, which say who may use an added item.
struct AccessOptions {
    static let options = [
        MacOption("A", "Lets every program of its partition list use it without being asked about."),
        MacOption("T", .one("path"), isFile: true, "Lets the program at the path use it; an empty one lets nobody."),
    ]

    /// The trusted programs; nil if neither option is given, so that only the creator is trusted.
    let trusted: [TrustedApplication]?
    let isForAll: Bool

    /// - Parameter passesOverMissing: whether a path without a program is reported and skipped, for scripts of macOS
    ///   that name `/usr/bin/codesign`; otherwise it is an error.
    init(_ arguments: MacArguments, _ context: ToolContext, passesOverMissing: Bool = false) throws {
        isForAll = arguments.has("A")
        trusted =
            isForAll || arguments.has("T")
            ? try Self.trusted(arguments.values(of: "T"), context, passesOverMissing) : nil
    }

    /// The access object of an item with this name; nil if the item gets the default one.
    func access(named name: String) -> AccessObject? {
        guard let trusted else { return nil }
        let descriptor = ExactText(name, limit: ACLLimits.descriptionBytes).text
        let access = AccessObject.default(descriptor: descriptor, trusted: trusted)
        return isForAll ? access.openForReading : access
    }

    /// The path of this command on macOS.
    private static let pathOnMac = "/usr/bin/security"

    /// The programs at these paths; an empty path stands for none.
    ///
    /// Scripts of macOS name this command by its path there. Where no program is at that path, they mean this one.
    private static func trusted(
        _ paths: [String], _ context: ToolContext, _ passesOverMissing: Bool
    ) throws -> [TrustedApplication] {
        var listed: [TrustedApplication] = []
        for path in paths where !path.isEmpty {
            if path.hasPrefix("group://") {
                try MacVerb.calling("SecTrustedApplicationCreateApplicationGroup", path, exitStatus: ExitStatus.failure)
                { () throws(KeychainError) in
                    throw KeychainError(
                        .unimplemented, "access objects list programs and no groups; name the programs of the group")
                }
            }
            // The process that opens the file follows symbolic links.
            let isMissing = Glibc.access(path, F_OK) != 0 && errno == ENOENT
            let isThisCommand = isMissing && path == pathOnMac
            if passesOverMissing, isMissing, !isThisCommand {
                context.complain("there is no program at \(path): nobody is listed for it")
                continue
            }
            let absolute = try ApplicationPath.absolute(path, mustExist: false)
            let application = try MacVerb.calling(
                "SecTrustedApplicationCreateFromPath", path, exitStatus: ExitStatus.failure
            ) { () throws(KeychainError) in
                try context.keychain.trustedApplication(at: isThisCommand ? nil : absolute)
            }
            if !listed.contains(where: { $0.identity == application.identity }) { listed.append(application) }
        }
        return listed
    }
}

extension AccessObject {
    /// The object with an entry that lets every program read the secret without a prompt, as `-A` demands.
    var openForReading: AccessObject {
        var object = self
        for (index, entry) in entries.enumerated() where entry.authorizes(.decrypt) {
            guard case .applications(_, let prompt) = entry.subject else { continue }
            object.entries[index].subject = .anyDescribed(prompt)
        }
        return object
    }
}
