import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import ItemStore

/// Moves the items that a program stored unsigned to the access group of its team, and back (ARCHITECTURE.md, *Signed
/// programs*).
enum AdoptionHandler {
    static let routes: [RequestRoute] = [.init(passcode: carryOut)]

    static func carryOut(
        _ request: AdoptItems, _ passcode: GivenPasscode?, _ context: inout RequestContext
    ) throws(KeychainError) -> AdoptionReport {
        let services = context.services
        let identities = try services.identified()
        let opened = try context.keychainSlot.keychain()
        defer { context.access.end() }
        try prove(passcode, in: opened, &context)
        let adoption = try identities.resolver.adoption(of: request.path)
        let (former, group) =
            request.isReturn ? (adoption.signed, adoption.unsigned) : (adoption.unsigned, adoption.signed)
        // The ledger notes the adoption for as long as items may be with the team. A failure restores the earlier note.
        let before = identities.ledger.adoptions().first { $0.path == adoption.path }
        if request.isReturn { try identities.resolver.pin(adoption) }
        var items = 0
        do throws(KeychainError) {
            if !request.isReturn {
                try identities.ledger.noteAdoption(of: adoption.path, adoption.digest, to: group)
            }
            items = try move(from: former, to: group, in: opened, &context)
        } catch {
            // A caller that repeats the request because the daemon was killed hears that it is done, and not that there
            // are no items.
            let isDone = request.isReturn ? before != nil || hasItems(group, in: opened.store) : before?.group == group
            guard error.status == .itemNotFound, isDone else {
                if !request.isReturn {
                    try? identities.ledger.noteAdoption(
                        of: adoption.path, before?.digest ?? adoption.digest, to: before?.group)
                }
                throw error
            }
        }
        if request.isReturn { try? identities.ledger.noteAdoption(of: adoption.path, adoption.digest, to: nil) }
        services.changes.note([former, group], of: identities.ledger.user, in: context.keychainSlot.name)
        services.log.notice(
            "the items of a program went over",
            ["path": adoption.path.text, "items": "\(items)", "from": former.text, "to": group.text])
        return AdoptionReport(items: UInt64(items), former: former, group: group)
    }

    private static func hasItems(_ group: AccessGroup, in store: ItemStore) -> Bool {
        [ItemClass.genericPassword, .internetPassword, .certificate, .key].contains { itemClass in
            var query = ItemQuery(itemClass: itemClass)
            query.synchronizable = .any
            return (try? store.find(query, groups: [group]))?.isEmpty == false
        }
    }

    /// Has the passcode satisfy the constraints of the items; throws where a passcode exists and did not come.
    private static func prove(
        _ passcode: GivenPasscode?, in opened: OpenedKeychain, _ context: inout RequestContext
    ) throws(KeychainError) {
        let (enclave, store) = (context.services.enclave, opened.store.identifier)
        let hasPasscode = try enclave.passcodeReport(for: .agent, in: store).hasPasscode
        guard let passcode else {
            guard !hasPasscode else { throw ApplicationLedger.unendorsed }
            return
        }
        guard hasPasscode else {
            throw KeychainError(.param, "there is no passcode; moving the items of a program needs none")
        }
        guard store == passcode.store else {
            throw KeychainError(.notAvailable, "another keychain stands in the place of that one; try again")
        }
        // The passcode counts for every item of the principal, for this request and for no other of its connection.
        context.access.leaveConnection()
        let (noting, reference) = context.access.context(of: try context.caller, in: opened)
        // A proof for a policy would not satisfy items that require the passcode itself.
        let request = ProvePasscode(reference, passcode.origin, in: store)
        try noting.noting { () throws(KeychainError) in
            try enclave.call(request, passcodes: passcode.files)
        }.requireRight()
    }

    private static func move(
        from former: AccessGroup, to group: AccessGroup, in opened: OpenedKeychain, _ context: inout RequestContext
    ) throws(KeychainError) -> Int {
        let caller = try context.caller
        let place = Authorisation.Place(
            name: context.keychainSlot.name, opened: opened, deciders: context.services.deciders)
        var contents = CBORWriter(capacity: 512)
        contents.writeArray(count: 2)
        contents.write(former.text)
        contents.write(group.text)
        let request = try opened.requests.request(
            of: caller.principal, RequestIdentifier(),
            digest: contents.withUnsafeBytes { opened.requests.contents(of: $0) })
        var access = context.access
        defer { context.access = access }
        return try opened.store.moveItems(from: former, to: group, request: request) {
            (row, operation) throws(KeychainError) in
            // Nobody is asked about single items. If the passcode does not satisfy one item, no item moves.
            try access.authorise(row, operation, for: caller, in: place, .skip)
        } use: {
            access.use($0, by: caller, in: place)
        }
    }
}
