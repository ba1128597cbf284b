import ChatelaineIPC
import FetchProtocol
import SystemCalls
import TrustProtocol

/// Has servers asked, a bounded number at a time, each source once for all who want it, and remembers what they said.
///
/// Whoever waits may have the deadline of somebody in a hurry; who asks a server does not: what comes later is there for the next evaluation.
final class EvidenceFetcher: EvidenceFetching {
    /// Of the places, what one program can take.
    static let mostOfProgram = ProcessStarter.mostFetches / 2

    private let asker: any ServerAsking
    private let clock: @Sendable () -> Int64
    private let log: Log
    private let monitor = Monitor()
    // SAFETY: these are read and written inside of `monitor`.
    nonisolated(unsafe) private var cache = EvidenceCache()
    nonisolated(unsafe) private var underWay: Set<EvidenceSource> = []
    /// How many are under way for each program.
    nonisolated(unsafe) private var places: [String: Int] = [:]

    init(
        _ asker: any ServerAsking, log: Log,
        clock: @escaping @Sendable () -> Int64 = { MonotonicClock.coarseMilliseconds }
    ) {
        (self.asker, self.log, self.clock) = (asker, log, clock)
    }

    var now: Int64 { clock() }

    func fetch(
        _ orders: [EvidenceOrder], at ports: [UInt16], for program: String, until deadline: Int64
    ) -> [EvidenceAnswer?] {
        var answers = [EvidenceAnswer?](repeating: nil, count: orders.count)
        var open = orders.indices.map { $0 }
        monitor.locked {
            while true {
                open.removeAll { isSettled(orders[$0], ports, program, &answers[$0]) }
                let left = deadline - clock()
                guard !open.isEmpty, left > 0 else { return }
                monitor.wait(milliseconds: Int(left))
            }
        }
        return answers
    }

    /// Whether there is nothing to wait for; has the source asked where nobody does, and there is a place. Inside of `monitor`.
    private func isSettled(
        _ order: EvidenceOrder, _ ports: [UInt16], _ program: String, _ answer: inout EvidenceAnswer?
    ) -> Bool {
        switch cache.look(up: order, at: clock()) {
        case .answer(let known):
            answer = known
            return true
        case .failure: return true
        case .nothing: break
        }
        guard !underWay.contains(order.source) else { return false }
        let source = order.source
        let body = source.kind == .response ? source.request : nil
        guard let request = FetchRequest(url: source.url, body: body, ports: ports) else { return true }
        guard underWay.count < ProcessStarter.mostFetches, places[program, default: 0] < Self.mostOfProgram else {
            return false
        }
        underWay.insert(source)
        places[program, default: 0] += 1
        let isStarted = Worker.start { [self] in
            let content = content(request)
            monitor.locked {
                cache.note(content, of: source, at: clock())
                giveBack(source, program)
            }
            monitor.broadcast()
        }
        if !isStarted { giveBack(source, program) }
        return !isStarted
    }

    private func giveBack(_ source: EvidenceSource, _ program: String) {
        underWay.remove(source)
        let left = places[program, default: 0] - 1
        places[program] = left > 0 ? left : nil
    }

    private func content(_ request: FetchRequest) -> [UInt8]? {
        switch asker.ask(request) {
        case .content(let bytes) where !bytes.isEmpty: return bytes
        case .content: log.debug("a server has nothing about a certificate", ["url": request.url])
        case .failure(let failure):
            log.debug("a server is of no use about a certificate", ["url": request.url, "reason": "\(failure)"])
        case nil: log.debug("fetchd gave no answer", ["url": request.url])
        }
        return nil
    }
}
