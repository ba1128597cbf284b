import ChatelaineModel

/// Reads access objects, trusted applications and partition lists from any bytes, and checks the decisions by them.
enum AccessTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var intake = Intake(bytes)
        let kind = intake.byte()
        let rest = intake.rest()
        switch kind {
        case 0: checkObject(rest)
        case 1: checkApplication([UInt8](rest))
        case 2: checkList(String(decoding: rest, as: UTF8.self))
        case 3: checkPropertyList(String(decoding: rest, as: UTF8.self))
        default: checkObject(bytes)
        }
    }

    /// Checks that an access object has one encoding, and that no caller gets more rights than it gives.
    private static func checkObject(_ bytes: UnsafeRawBufferPointer) {
        var reader = CBORReader(bytes)
        guard let object = try? AccessObject(from: &reader) else { return }
        let encoding = object.encoding
        precondition(encoding.elementsEqual(bytes.prefix(reader.offset)), "an object with two encodings")
        do { try object.validate() } catch { preconditionFailure("read, and not to be stored: \(error)") }
        for entry in object.entries {
            guard let contents = try? entry.contents() else { continue }
            precondition((try? ACLEntry(entry.authorizations, contents)) != nil, "a simple form that makes no entry")
        }
        for caller in callers {
            for right in [ACLAuthorization.decrypt, .encrypt, .changeACL] { decide(object, right, caller) }
        }
    }

    private static func decide(_ object: AccessObject, _ right: ACLAuthorization, _ caller: ACLCaller) {
        let silent = ACLEvaluation.decide(object, right: right, caller: caller, ui: false)
        if case .needsPerson = silent { preconditionFailure("asks although it is forbidden") }
        guard case .needsPerson(let question) = ACLEvaluation.decide(object, right: right, caller: caller, ui: true)
        else { return }
        if let remembered = object.remembering(caller, after: question) {
            precondition(question.mayBeRemembered && caller.rememberable != nil, "remembered and not offered")
            check(remembered)
            let verdict = ACLEvaluation.decide(remembered, right: right, caller: caller, ui: false)
            precondition(verdict == .allowed, "remembered and still asked about")
        }
        if let former = question.former, let replaced = object.replacing(former, by: caller) {
            check(replaced)
        }
    }

    private static func check(_ object: AccessObject) {
        object.encoding.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            let read = try? AccessObject(from: &reader)
            precondition(read == object, "written, then refused")
        }
    }

    private static func checkApplication(_ bytes: [UInt8]) {
        guard let application = try? TrustedApplication(external: bytes) else { return }
        precondition(application.external == bytes, "an application with two external forms")
    }

    private static func checkList(_ text: String) {
        guard let list = try? PartitionList(commaSeparated: text) else { return }
        precondition(list.identifiers.count <= ACLLimits.partitions, "too many identifiers")
        for read in [
            try? PartitionList(propertyList: list.propertyList), try? PartitionList(hexadecimal: list.hexadecimal),
        ] {
            precondition(read == list, "reads as another list")
        }
    }

    private static func checkPropertyList(_ text: String) {
        guard let list = try? PartitionList(propertyList: text) else { return }
        precondition(list.propertyList.utf8.elementsEqual(text.utf8), "a list with two forms")
    }

    // MARK: Programs

    /// The callers that seeds list, and some whose identity is uncertain.
    static let callers: [ACLCaller] = {
        var callers = [
            ACLCaller(
                .identifier("path:/usr/bin/git"), .file, at: "/usr/bin/git", .valid, in: .apple,
                as: ProcessUser(user: 1000, group: 1000)),
            ACLCaller(.identifier("path:/usr/bin/sh"), .shared, at: "/usr/bin/sh", .valid, in: .apple),
            ACLCaller(.securityTool, .shared, at: "/usr/bin/security", .valid, in: .appleTool),
            ACLCaller(nil, .file, at: "/home/ada/odd", .invalid, in: nil),
        ]
        for byte: UInt8 in [1, 2] {
            guard let digest = ExecutableDigest([UInt8](repeating: byte, count: ExecutableDigest.byteCount)) else {
                continue
            }
            callers.append(
                ACLCaller(.digest(digest), .file, at: "/home/ada/sync", .unsigned, in: PartitionID(digest)))
        }
        return callers
    }()
}
