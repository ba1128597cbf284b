import ChatelaineIPC
import ChatelaineSystem
import FetchProtocol
import SystemCalls
import TrustProtocol

/// Has servers asked, a bounded number at a time, each source once for all evaluations that want it, and caches the
/// answers.
///
/// A waiting evaluation may have a short deadline. The request to the server goes on, and a late answer serves the next
/// evaluation.
final class EvidenceFetcher: EvidenceFetching {
    /// The number of places that one program can take.
    static let mostOfProgram = ProcessStarter.mostFetches / 2
    /// The places, of both numbers, that only a foremost order gets.
    ///
    /// The servers of other orders may be a stranger's, who can make them slow.
    static let keptPlaces = 1

    private let asker: any ServerAsking
    private let clock: @Sendable () -> Int64
    private let log: Log
    private let state = Monitor(State())

    private struct State {
        var cache = EvidenceCache()
        var underWay: Set<EvidenceSource> = []
        /// The places that each program takes.
        var places: [BudgetOwner: Int] = [:]

        mutating func giveBack(_ source: EvidenceSource, _ program: BudgetOwner) {
            underWay.remove(source)
            let left = places[program, default: 0] - 1
            places[program] = left > 0 ? left : nil
        }
    }

    init(
        _ asker: any ServerAsking, log: Log,
        clock: @escaping @Sendable () -> Int64 = { MonotonicClock.bootMilliseconds }
    ) {
        (self.asker, self.log, self.clock) = (asker, log, clock)
    }

    var now: Int64 { clock() }

    func fetch(
        _ orders: [EvidenceOrder], at ports: [UInt16], for slot: ConnectionSlot, until deadline: Int64
    ) -> [EvidenceOutcome] {
        var outcomes = [EvidenceOutcome](repeating: .notYet, count: orders.count)
        var wasAsked: Set<EvidenceSource> = []
        var waits = false
        state.wait { state -> Awaited<Void> in
            for index in orders.indices where outcomes[index] == .notYet {
                outcomes[index] = outcome(of: orders[index], ports, slot.owner, &wasAsked, &state)
            }
            let left = deadline - clock()
            guard outcomes.contains(.notYet), left > 0, !slot.isGivenAway else { return .answer(()) }
            // The connection is idle meanwhile. Where there are too many, another one gets its place.
            if !waits { slot.wait(on: self.state) }
            waits = true
            return slot.isGivenAway ? .answer(()) : .nothing(milliseconds: Int(left))
        }
        if waits { slot.work() }
        return outcomes
    }

    /// The present outcome of an order.
    ///
    /// It has the source asked where nothing is known and a place is free.
    ///
    /// - Parameter wasAsked: sources that were under way while this evaluation waited. If nothing is known of one
    ///   afterwards, it could not be asked.
    private func outcome(
        of order: EvidenceOrder, _ ports: [UInt16], _ program: BudgetOwner, _ wasAsked: inout Set<EvidenceSource>,
        _ state: inout State
    ) -> EvidenceOutcome {
        switch state.cache.look(up: order, at: clock()) {
        case .answer(let known): return .answer(known)
        case .failure: return .nothing
        case .nothing: break
        }
        if state.underWay.contains(order.source) {
            wasAsked.insert(order.source)
            return .notYet
        }
        guard !wasAsked.contains(order.source) else { return .nothing }
        let source = order.source
        let body = source.kind == .response ? source.request : nil
        guard let request = FetchRequest(url: source.url, body: body, ports: ports) else { return .nothing }
        let kept = order.isForemost ? 0 : Self.keptPlaces
        guard state.underWay.count + kept < ProcessStarter.mostFetches,
            state.places[program, default: 0] + kept < Self.mostOfProgram
        else { return .notYet }
        state.underWay.insert(source)
        wasAsked.insert(source)
        state.places[program, default: 0] += 1
        let isStarted = Worker.start { [self] in
            let reply = asker.ask(request)
            report(reply, request)
            self.state.withLock { state in
                switch reply {
                case .content(let bytes)?: state.cache.note(bytes.isEmpty ? nil : bytes, of: source, at: clock())
                case .failure?: state.cache.note(nil, of: source, at: clock())
                // A failure of this machine says nothing about the server.
                case nil: break
                }
                state.giveBack(source, program)
            }
            self.state.broadcast()
        }
        if !isStarted { state.giveBack(source, program) }
        return isStarted ? .notYet : .nothing
    }

    private func report(_ reply: FetchReply?, _ request: FetchRequest) {
        switch reply {
        case .content(let bytes) where !bytes.isEmpty: break
        case .content: log.debug("a server has nothing about a certificate", ["url": request.url])
        case .failure(let failure):
            log.debug("a server is of no use about a certificate", ["url": request.url, "reason": "\(failure)"])
        case nil: log.debug("fetchd gave no answer", ["url": request.url])
        }
    }
}
