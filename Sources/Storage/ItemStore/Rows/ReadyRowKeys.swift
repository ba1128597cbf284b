import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Sealing

/// Row keys that are made before their rows exist, for programs that add one item after another.
///
/// A request to the custodian costs a fifth of an addition, and one more key in the same request hardly anything. So an
/// addition that follows another of its kind has further keys made, each for a row identifier of its own. The next
/// additions use them. The first addition of a kind asks for its own key alone.
///
/// A ready key is in secret memory. It is given out once, for the place that it is bound to, and only while it is
/// younger than ``lifetime``. Whoever locks or replaces keys forgets it by ``forget()``, as does the end of the store.
/// Nothing on disk names it. There are none for rows with constraints and for private keys, which the custodian binds
/// to more than the place.
final class ReadyRowKeys: KeyHolder, Sendable {
    /// The keys of one request, of which one is used at once.
    ///
    /// With so many the request costs an addition less than 3 % on average. The one addition that waits for them takes
    /// a tenth longer.
    static let mostOfRequest = 16
    /// The kinds of rows for which keys are ready: as many as programs that add many items at the same time.
    ///
    /// Together with ``mostOfRequest`` it bounds the keys in memory to 60.
    static let mostKinds = 4
    /// How long a key may be used, in seconds: longer than a program pauses that adds many items.
    static let lifetime = 2.0

    /// A key, and the place of the row that it is for.
    typealias Ready = (place: RowContext, key: NewRowKey)

    /// The keys for rows that differ in their identifiers only.
    fileprivate struct Kind {
        let pattern: RowContext
        var keys: [Ready] = []
        /// When the keys were made.
        var made: Double
        /// The keys of the last request.
        var requested = 1
        /// Whether a request for several keys is under way; other threads then ask for one key each.
        var isRequesting = false
    }

    fileprivate struct State {
        /// The kind that was used last is at the end.
        var kinds: [Kind] = []
        /// How often all keys were forgotten.
        var forgettings: UInt64 = 0
        var isClosed = false
    }

    fileprivate enum Step {
        case ready(Ready)
        case request(count: Int, forgettings: UInt64)
    }

    private let source: any StoreKeySource
    private let store: StoreIdentifier
    private let metadataKeys: MetadataKeys
    private let elapsed: @Sendable () -> Double
    private let state = AdaptiveMutex(State())

    /// - Parameters:
    ///   - metadataKeys: they know which keys were replaced.
    ///   - elapsed: ``StoreClock/elapsed``
    init(
        _ source: any StoreKeySource, of store: StoreIdentifier, _ metadataKeys: MetadataKeys,
        elapsed: @escaping @Sendable () -> Double
    ) {
        self.source = source
        self.store = store
        self.metadataKeys = metadataKeys
        self.elapsed = elapsed
        source.holders?.add(self)
    }

    /// The number of keys in memory.
    var count: Int { state.withLock { $0.kinds.reduce(0) { $0 + $1.keys.count } } }

    /// Whether there may be ready keys for a row; `place` is that of a row that does not exist yet.
    static func serves(_ place: RowContext) -> Bool {
        place.version == 1 && !place.isTombstone && place.constraints == nil && place.keyCustody == nil
    }

    /// A key for a new row like the one at `place`.
    ///
    /// - Returns: the key, and the place that it is bound to, which may have another row identifier.
    /// - Throws: the errors of the key custodian.
    func take(for place: RowContext) throws(KeychainError) -> Ready {
        guard let holders = source.holders, holders.keepsReadyKeys, Self.serves(place) else {
            return (place, try request([place])[0])
        }
        let pattern = place.withoutRow
        while true {
            switch state.withLock({ $0.next(pattern, now: elapsed()) }) {
            case .ready(let ready):
                guard metadataKeys.isRetired(ready.key.classKeyID) else { return ready }
                // What a replaced key wraps would have to be sealed anew.
                forget()
            case .request(count: 1, _): return (place, try request([place])[0])
            case .request(let count, let forgettings):
                return try take(for: place, pattern, of: count, since: forgettings, holders)
            }
        }
    }

    /// Requests several keys, and keeps all but one.
    private func take(
        for place: RowContext, _ pattern: RowContext, of count: Int, since forgettings: UInt64, _ holders: KeyHolders
    ) throws(KeychainError) -> Ready {
        // The age of a key counts from before it is made.
        let now = elapsed()
        let places = [place] + (1..<count).map { _ in place.withFreshRow }
        let made = Result { () throws(KeychainError) in try request(places) }
        let ready = zip(places, (try? made.get()) ?? []).dropFirst().map { (place: $0, key: $1) }
        let isKept = state.withLock { $0.keep(ready, pattern, made: now, of: count, since: forgettings) }
        // Without a thread that forgets them in time there are none.
        if isKept, !holders.expireKeys() { forget() }
        return (place, try made.get()[0])
    }

    private func request(_ places: [RowContext]) throws(KeychainError) -> [NewRowKey] {
        let keys = try source.createRowKeys(places, for: nil, in: store)
        guard keys.count == places.count else {
            throw KeychainError(.internalComponent, "the key custodian gave \(keys.count) keys for \(places.count)")
        }
        return keys
    }

    // MARK: Forgetting

    func forget() {
        state.withLock { state in
            state.kinds = []
            state.forgettings += 1
        }
    }

    /// Forgets all keys, and keeps none from now on.
    func close() {
        state.withLock { $0.isClosed = true }
        forget()
    }

    func forgetExpired() -> Bool {
        let now = elapsed()
        return state.withLock { state in
            state.forgetExpired(now)
            return state.kinds.contains { !$0.keys.isEmpty }
        }
    }
}

extension ReadyRowKeys.State {
    fileprivate mutating func next(_ pattern: RowContext, now: Double) -> ReadyRowKeys.Step {
        forgetExpired(now)
        guard let index = kinds.firstIndex(where: { $0.pattern == pattern }) else {
            if kinds.count == ReadyRowKeys.mostKinds { kinds.removeFirst() }
            kinds.append(ReadyRowKeys.Kind(pattern: pattern, made: now))
            return .request(count: 1, forgettings: forgettings)
        }
        var kind = kinds.remove(at: index)
        defer { kinds.append(kind) }
        if let ready = kind.keys.popLast() { return .ready(ready) }
        guard !kind.isRequesting, !isClosed else { return .request(count: 1, forgettings: forgettings) }
        kind.isRequesting = true
        return .request(count: min(2 * kind.requested, ReadyRowKeys.mostOfRequest), forgettings: forgettings)
    }

    /// Keeps the keys of a request, unless all were forgotten while it was under way; whether there are any.
    fileprivate mutating func keep(
        _ ready: [ReadyRowKeys.Ready], _ pattern: RowContext, made: Double, of count: Int, since former: UInt64
    ) -> Bool {
        guard forgettings == former, let index = kinds.firstIndex(where: { $0.pattern == pattern })
        else { return false }
        kinds[index].isRequesting = false
        (kinds[index].keys, kinds[index].made, kinds[index].requested) = (ready, made, count)
        return !ready.isEmpty
    }

    /// Forgets keys that are too old; a kind that was not used for as long begins anew with one key.
    fileprivate mutating func forgetExpired(_ now: Double) {
        kinds.removeAll { !$0.isRequesting && now - $0.made >= ReadyRowKeys.lifetime }
    }
}

extension RowContext {
    /// The same for all new rows of a kind.
    fileprivate var withoutRow: RowContext {
        var pattern = self
        pattern.row = ItemIdentifier(Self.noRow)
        return pattern
    }

    private static let noRow = Bytes16(repeating: 0)

    fileprivate var withFreshRow: RowContext {
        var place = self
        place.row = ItemIdentifier()
        return place
    }
}
