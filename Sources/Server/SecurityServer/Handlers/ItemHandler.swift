import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import ItemStore

/// Carries out requests about items.
enum ItemHandler {
    static let routes: [RequestRoute] = [
        .init(search: find) { $0.query },
        .init(add),
        .init(update),
        .init(delete),
        .init(descriptors: listAll),
    ]

    static func find(_ request: FindItems, _ context: inout RequestContext) throws(KeychainError) -> [FoundItem] {
        let (keychain, caller) = (try context.keychain, try context.caller)
        // A copy, since the search changes the context as well.
        var access = context.access
        defer { context.access = access }
        let found = try keychain.find(request.query, for: caller, &access) { () throws(KeychainError) in
            try context.reserveLargeReply()
        }
        // The reservation was released where certificates were judged.
        let byteCount = found.indices.reduce(0) { $0 + found[$1].byteCount }
        if byteCount > ItemStore.smallResultBytes { try context.reserveLargeReply() }
        return found
    }

    /// Lists all items for the owner of the keychain, who has given the passcode.
    ///
    /// It shows items of every program, and no secret.
    static func listAll(
        _ request: ListAllItems, _ passcode: GivenPasscode, _ context: inout RequestContext
    ) throws(KeychainError) -> [FoundItem] {
        let query = request.query
        try query.validate(for: .find)
        guard !query.returns.contains(.data), query.identifier == nil, query.items == nil, query.certificates == nil,
            query.certificateTerms == CertificateTerms()
        else {
            throw KeychainError(.param, "a list of all items holds no secrets, and names none")
        }
        let services = context.services
        guard try services.enclave.passcodeReport(for: .agent, in: passcode.store).hasPasscode else {
            throw KeychainError(
                .authFailed,
                "items of other programs are listed for whoever has the passcode, and there is none: “security passcode set” sets one"
            )
        }
        try services.enclave.call(VerifyPasscode(passcode.origin, in: passcode.store), passcodes: passcode.files)
            .requireRight()
        let opened = try context.keychainSlot.keychainForReading()
        guard opened.store.identifier == passcode.store else {
            throw KeychainError(.notAvailable, "another keychain stands in the place of that one; try again")
        }
        services.log.notice(
            "all items of a class were listed", ["class": "\(query.itemClass)", "pid": "\(context.slot.pid)"])
        func rows(_ query: ItemQuery) throws(KeychainError) -> [FoundItem] {
            let groups = try opened.store.accessGroups(of: query.itemClass)
            return try opened.store.find(query, groups: groups) { () throws(KeychainError) in
                try context.reserveLargeReply()
            }
        }
        let items =
            query.itemClass == .identity
            ? try IdentityItems.find(query) { (query) throws(KeychainError) in
                try rows(query)
            } admits: { _ in
                true
            } : try rows(query)
        guard !items.isEmpty else { throw KeychainError(.itemNotFound, "the keychain has no such item") }
        return items
    }

    static func add(_ request: AddItem, _ context: inout RequestContext) throws(KeychainError) -> FoundItem {
        let change = try context.changeRequest(request.identifier)
        let (keychain, caller) = (try context.keychain, try context.caller)
        return try keychain.add(request.item, for: caller, change, &context.access)
    }

    static func update(_ request: UpdateItems, _ context: inout RequestContext) throws(KeychainError) -> NoReply {
        let change = try context.changeRequest(request.identifier)
        let (keychain, caller) = (try context.keychain, try context.caller)
        try keychain.update(request.query, request.change, for: caller, change, &context.access)
        return NoReply()
    }

    static func delete(_ request: DeleteItems, _ context: inout RequestContext) throws(KeychainError) -> NoReply {
        let change = try context.changeRequest(request.identifier)
        let (keychain, caller) = (try context.keychain, try context.caller)
        try keychain.delete(request.query, for: caller, change, &context.access)
        return NoReply()
    }
}
