import ChatelaineIPC
import ChatelaineModel
import Glibc
import ItemStore

/// The way of one request, in phases: decoded by its ``Session``, it is *resolved* (which keychain, which rows), *authorised* (each opened
/// row, each operation), *carried out*, and *replied* to. Where a person has to be asked first, it *waits*
/// (`RequestHandler+Waiting.swift`), and is then resolved, authorised and carried out from the beginning.
///
/// Whatever was found out before a wait counts afterwards only where it is still so. What a person has allowed is in the
/// ``Authorisation``, which goes along with the request.
struct RequestHandler {
    let services: Services
    let seat: Seat
    /// The keychain that is meant; no request names one yet.
    private var slot: KeychainSlot { services.keychains.default }

    /// Answers on `channel`; throws only what ends the connection.
    ///
    /// - Parameters:
    ///   - frame: what the request came in; nil where it comes back from a wait.
    ///   - identify: who asks, or why nobody knows.
    /// - Returns: whether it was answered; otherwise nothing was done or said, and `access` has what is to be asked.
    func answer(
        _ request: Request, frame: UnsafeRawBufferPointer?, _ access: inout Authorisation, on channel: FrameChannel,
        identify: () throws(KeychainError) -> Caller
    ) throws -> Bool {
        var reply = ReplyStream(to: channel)
        var known: Caller?
        func identified() throws(KeychainError) -> Caller {
            let caller = try identify()
            known = caller
            return caller
        }
        do {
            let replacements = slot.replacements
            do {
                try carryOut(request, frame, &access, identified, channel, &reply)
            } catch let error as KeychainError
                where error.cause != .needsPerson && slot.isOutdated(since: replacements)
            {
                // Nothing was changed and nothing said yet: the store in its place may well have the answer. What a person
                // has allowed before is allowed.
                services.log.notice("a request is tried again", ["status": "\(error.status)"])
                try carryOut(request, frame, &access, identified, channel, &reply)
            }
        } catch let error as KeychainError {
            if error.cause == .needsPerson, access.pending != nil, services.inquiries.canAsk { return false }
            services.refusals.note(error, of: request, from: seat, caller: known)
            // Nothing was written yet: the header is the first thing that each of the cases writes.
            try reply.write { ReplyHeader(status: error.status, reason: error.reason).encode(to: &$0) }
        }
        try reply.finish()
        return true
    }

    /// Answers with an error, and nothing else.
    func refuse(_ request: Request, because error: KeychainError, caller: Caller?, on channel: FrameChannel) throws {
        services.refusals.note(error, of: request, from: seat, caller: caller)
        var reply = ReplyStream(to: channel)
        try reply.write { ReplyHeader(status: error.status, reason: error.reason).encode(to: &$0) }
        try reply.finish()
    }

    private func carryOut(
        _ request: Request, _ frame: UnsafeRawBufferPointer?, _ access: inout Authorisation,
        _ identify: () throws(KeychainError) -> Caller, _ channel: FrameChannel, _ reply: inout ReplyStream
    ) throws {
        switch request {
        case .find(let query):
            let keychain = Keychain(
                opened: try slot.keychainForReading(), identities: services.identities, name: slot.name)
            var share: Budget.Share?
            defer { if let share { services.output.give(back: share) } }
            let items = try keychain.find(query, for: try identify().admitted(), &access) { () throws(KeychainError) in
                share = try services.output.take(SessionLimits.largeReplyBytes, for: seat)
                // Others wait for what this one holds.
                channel.setPatience(seconds: SessionLimits.largeReplySeconds)
            }
            try Self.succeed(&reply)
            for item in items { try reply.write { item.encode(to: &$0) } }
        case .add(let identifier, let item):
            let (keychain, caller, change) = try prepare(identifier, frame, &access, identify)
            let added = try keychain.add(item, for: caller, change, &access)
            try Self.succeed(&reply)
            try reply.write { added.encode(to: &$0) }
        case .update(let identifier, let query, let itemChange):
            let (keychain, caller, change) = try prepare(identifier, frame, &access, identify)
            try keychain.update(query, itemChange, for: caller, change, &access)
            try Self.succeed(&reply)
        case .delete(let identifier, let query):
            let (keychain, caller, change) = try prepare(identifier, frame, &access, identify)
            try keychain.delete(query, for: caller, change, &access)
            try Self.succeed(&reply)
        case .status:
            let report = StatusReport(services: services).make(for: Result(catching: identify))
            try Self.succeed(&reply)
            try reply.write { report.encode(to: &$0) }
        case .applications(let command):
            // Where its keychain is to be replaced, the list is opened anew with it.
            _ = try services.keychains.default.keychain()
            let desk = ApplicationDesk(
                opened: try services.identified(), log: services.log, refusals: services.refusals)
            _ = try identify()
            let records = try desk.carryOut(command)
            try Self.succeed(&reply)
            for record in records { try reply.write { record.encode(to: &$0) } }
        case .snapshots(let command):
            // Where no store opens, nobody can be identified, and a snapshot is the way out.
            if (try? slot.keychain()) != nil { _ = try identify() }
            let records = try StoreDesk(slot: slot, log: services.log).carryOut(command)
            try Self.succeed(&reply)
            for record in records { try reply.write { record.encode(to: &$0) } }
        case .check(let position):
            _ = try identify()
            let step = try StoreDesk(slot: slot, log: services.log).check(position: position)
            try Self.succeed(&reply)
            try reply.write { step.encode(to: &$0) }
        case .losses(let command):
            let opened = try slot.keychain()
            let caller = try identify()
            // A program that is refused knows no item by its name.
            let groups = caller.refusal == nil ? caller.groups : []
            let summary = try LossDesk(store: opened.store).carryOut(command, groups: groups)
            try Self.succeed(&reply)
            try reply.write { summary.encode(to: &$0) }
        }
    }

    private func prepare(
        _ identifier: RequestIdentifier, _ frame: UnsafeRawBufferPointer?, _ access: inout Authorisation,
        _ identify: () throws(KeychainError) -> Caller
    ) throws(KeychainError) -> (Keychain, Caller, ChangeRequest) {
        let opened = try slot.keychain()
        let caller = try identify().admitted()
        let digest: [UInt8]
        if let contents = access.contents, contents.store == opened.store.identifier {
            digest = contents.digest
        } else if let frame {
            digest = opened.requests.contents(of: frame)
            access.contents = (opened.store.identifier, digest)
        } else {
            throw KeychainError(
                .notAvailable, "the item store was replaced by another while the call waited for a person; try again")
        }
        let change = try opened.requests.request(of: caller.principal, identifier, digest: digest)
        return (Keychain(opened: opened, identities: services.identities, name: slot.name), caller, change)
    }

    private static func succeed(_ reply: inout ReplyStream) throws { try reply.write { ReplyHeader().encode(to: &$0) } }
}
