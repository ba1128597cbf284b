import ChatelaineModel
import Glibc

/// `-A` and `-T`, with which verbs say who may use what they add.
struct AccessOptions {
    static let options = [
        MacOption("A", "Lets every program use it without being asked about."),
        MacOption("T", .one("path"), isFile: true, "Lets the program at the path use it; an empty one lets nobody."),
    ]

    /// Nil where neither was given: the creator is the only one then.
    let trusted: [TrustedApplication]?
    let isForAll: Bool

    /// - Parameter passesOverMissing: whether a path without a program is told and lists nobody, as scripts of macOS name `/usr/bin/codesign`; else it is a
    ///   failure.
    init(_ arguments: MacArguments, _ context: ToolContext, passesOverMissing: Bool = false) throws {
        isForAll = arguments.has("A")
        trusted =
            isForAll || arguments.has("T")
            ? try Self.trusted(arguments.values(of: "T"), context, passesOverMissing) : nil
    }

    /// Who may use an item of this name; nil for what an item has that brings none.
    func access(named name: String) -> AccessObject? {
        guard let trusted else { return nil }
        let descriptor = ExactText(name, limit: ACLLimits.descriptionBytes).text
        let access = AccessObject.default(descriptor: descriptor, trusted: trusted)
        return isForAll ? access.openForReading : access
    }

    /// The programs at these paths; an empty path is nobody.
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
            // Links are followed by whoever looks at the file.
            if passesOverMissing, Glibc.access(path, F_OK) != 0, errno == ENOENT {
                context.complain("there is no program at \(path): nobody is listed for it")
                continue
            }
            let absolute = try ApplicationPath.absolute(path, mustExist: false)
            let application = try MacVerb.calling(
                "SecTrustedApplicationCreateFromPath", path, exitStatus: ExitStatus.failure
            ) { () throws(KeychainError) in try context.keychain.trustedApplication(at: absolute) }
            if !listed.contains(where: { $0.identity == application.identity }) { listed.append(application) }
        }
        return listed
    }
}

extension AccessObject {
    /// The same, in which every program reads the secret without being asked about, as `-A` has it.
    var openForReading: AccessObject {
        var object = self
        for (index, entry) in entries.enumerated() where entry.authorizes(.decrypt) {
            guard case .applications(_, let prompt) = entry.subject else { continue }
            object.entries[index].subject = .anyDescribed(prompt)
        }
        return object
    }
}
