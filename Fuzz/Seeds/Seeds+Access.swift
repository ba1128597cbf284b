import ChatelaineModel

/// Access objects of every form, external forms of applications, and partition lists as users and Apple write them.
extension Seeds {
    private static var processes: [ProcessOwner] {
        [ProcessOwner([.user, .honorsRoot], user: 1000, group: 0)].compactMap { $0 }
    }

    /// Seeds whose first byte is the kind (``AccessTarget``).
    static var access: [Seed] {
        let listed = AccessTarget.callers.compactMap { caller in
            caller.identity.map { TrustedApplication($0, caller.assurance, at: caller.path) }
        }
        let list = PartitionList([.apple, .appleTool])
        let prompt = ACLPrompt("the item", [.requirePassphrase, .unsignedAct])
        let owner = ACLEntry([.changeACL], .applications([], prompt))
        let subjects: [(String, ACLSubject)] =
            [
                ("any", .any), ("described", .anyDescribed(prompt)), ("applications", .applications(listed, prompt)),
                ("changed", .applications(Array(listed.suffix(1)), prompt)), ("custom", .custom([1, 2, 3])),
            ] + processes.map { ("processes", .processes($0)) }
        var seeds = subjects.map { name, subject in
            let entries = [ACLEntry([.decrypt, .changeACL], subject), ACLEntry([.integrity], .integrity([7, 8]))]
            return seed("object-\(name)", 0) {
                AccessObject(owner: owner, entries: entries).partitioned(list).encode(to: &$0)
            }
        }
        seeds.append(seed("object-open", 0) { AccessObject.open.encode(to: &$0) })
        seeds.append(
            seed("object-default", 0) { AccessObject.default(descriptor: "the item", trusted: listed).encode(to: &$0) })
        seeds.append(
            seed("object-unknown-right", 0) {
                let rights: Set<ACLAuthorization> = [.unknown, ACLAuthorization(rawValue: -9), .any]
                AccessObject(owner: ACLEntry(rights, .any), entries: []).encode(to: &$0)
            })
        for (number, application) in listed.enumerated() {
            seeds.append(("application-\(number)", [1] + application.external))
        }
        seeds.append(("list", [2] + Array("apple-tool:,apple:,codesign:,teamid:ABCDE12345,&<>".utf8)))
        seeds.append(("property-list", [3] + Array(list.propertyList.utf8)))
        seeds.append(("property-list-empty", [3] + Array(PartitionList([]).propertyList.utf8)))
        return seeds
    }
}
