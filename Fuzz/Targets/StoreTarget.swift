import ChatelaineMemory
import ChatelaineModel
import Glibc

@testable import ItemStore
@testable import StoreEngine

/// Makes every call on whole stores with changed tables.
///
/// Each call must end, and return no secret that was not sealed for its place.
enum StoreTarget {
    /// The maximum number of changes in one input.
    private static let maximumChanges = 4
    /// The number of steps after which a check must have ended; a recovery continues for no more steps.
    private static let maximumSteps = 64
    /// The first time of the clock, which advances a second with each reading: an input has the same meaning in every
    /// run.
    private static let start: Double = 8e8

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var intake = Intake(bytes)
        let template = StoreTemplate.all[intake.number(below: StoreTemplate.all.count)]
        let isOpen = intake.flag()
        let folder = FuzzFolder.shared.path + "/stores/fuzz"
        template.restore(to: FuzzFolder.shared.path)
        let changes = (0..<1 + intake.number(below: maximumChanges)).map { _ in StoreChange(&intake) }
        if isOpen {
            // The changes come to a store in use, whose readers have seen the former content.
            guard let store = open(folder) else { preconditionFailure("a template that does not open") }
            useAll(store)
            for change in changes { change.carryOut(on: folder) }
            useAll(store)
            finish(store, folder)
        } else {
            for change in changes { change.carryOut(on: folder) }
            guard let store = open(folder) else { return }
            useAll(store)
            finish(store, folder)
        }
    }

    private static func open(_ folder: String, isDamaged: Bool = false) -> ItemStore? {
        let time = FuzzClock(start)
        let elapsed = FuzzClock(0)
        return try? ItemStore(
            folder: folder, keys: FixedKeys(),
            clock: StoreClock {
                time.next()
            } elapsed: {
                elapsed.next() * AnswerExpiry.lifetime
            }, isDamaged: isDamaged)
    }

    /// Reopens a damaged store, as the daemon does.
    private static func finish(_ store: ItemStore, _ folder: String) {
        guard store.needsReopening else { return }
        let isDamaged = store.isDamaged
        store.retire()
        guard let next = open(folder, isDamaged: isDamaged) else { return }
        useAll(next)
    }

    private static func useAll(_ store: ItemStore) {
        var everything = ItemQuery(itemClass: .genericPassword)
        everything.limit = .all
        everything.returns = [.data, .attributes]
        look(store, everything)
        for number in 0..<StoreTemplate.items {
            var one = everything
            one.limit = .one
            one.attributes[.account] = .text("\(number)")
            look(store, one)
        }
        var change = ItemChange()
        change.attributes[.label] = .text("changed")
        var second = ItemQuery(itemClass: .genericPassword)
        second.attributes[.account] = .text("1")
        if let request = try? request(1) {
            try? store.update(second, change, groups: [StoreTemplate.group], request: request)
        }
        second.attributes[.account] = .text("2")
        if let request = try? request(2) { try? store.delete(second, groups: [StoreTemplate.group], request: request) }
        var new = NewItem(itemClass: .genericPassword)
        new.attributes[.account] = .text("new")
        new.secret = StoreTemplate.secret(of: "new")
        if let request = try? request(3) {
            _ = try? store.add(new, group: StoreTemplate.group, request: request)
            // The same request again, as a client repeats it.
            _ = try? store.add(new, group: StoreTemplate.group, request: request)
        }
        maintain(store)
    }

    private static func maintain(_ store: ItemStore) {
        try? store.maintain()
        for _ in 0..<2 { try? store.forgetAnswers() }
        store.takeSnapshotIfDue()
        _ = try? store.statistics()
        _ = try? store.losses()
        _ = try? store.verifyRows()
        // After the acknowledgement the present content counts as unaltered.
        if let known = try? store.acknowledgeLosses(), known.altered > 0, !store.needsReopening {
            let altered = try? store.verifyRows()
            precondition(altered?.isEmpty ?? true, "rows that nobody has written to are altered")
        }
        _ = try? store.setAsideItems(groups: [StoreTemplate.group])
        for _ in 0..<maximumSteps { if (try? store.continueRecovery()) != true { break } }
        var position: Int64? = 0
        var steps = 0
        while let next = position {
            let step = try? store.check(from: next)
            position = step?.next
            steps += 1
            precondition(steps <= maximumSteps, "a check that does not come to its end")
        }
        look(store, ItemQuery(itemClass: .internetPassword))
    }

    private static func look(_ store: ItemStore, _ query: ItemQuery) {
        guard let found = try? store.find(query, groups: [StoreTemplate.group]) else { return }
        for item in found {
            guard case .text(let account)? = item.attributes[.account], let secret = item.secret else { continue }
            let isGenuine = secret.withUnsafeBytes { bytes in
                StoreTemplate.secret(of: account).withUnsafeBytes { $0.elementsEqual(bytes) }
            }
            precondition(isGenuine, "a secret that was not sealed for its place")
        }
    }

    private static func request(_ number: UInt8) throws(KeychainError) -> ChangeRequest {
        try ChangeRequest(
            name: ItemIdentifier().bytes + ItemIdentifier().bytes,
            digest: [UInt8](repeating: number, count: ChangeRequest.digestByteCount))
    }
}
