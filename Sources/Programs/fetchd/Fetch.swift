import CFetch
import FetchProtocol
import Glibc

extension FetchReply {
    /// Asks the server that the request names.
    init(to request: FetchRequest) {
        var fetched = chatelaine_fetched()
        defer { free(fetched.bytes) }
        // SAFETY: ports and body live until the call is over, which keeps nothing of them.
        let outcome = request.ports.withUnsafeBufferPointer { ports in
            let limits = chatelaine_fetch_limits(
                bytes: FetchLimits.maximumAnswerBytes, head_bytes: FetchLimits.maximumHeadBytes,
                milliseconds: request.seconds * 1000, redirects: FetchLimits.maximumRedirects,
                ports: ports.baseAddress, port_count: ports.count)
            guard let body = request.body else { return chatelaine_fetch(request.url, nil, 0, limits, &fetched) }
            return body.withUnsafeBufferPointer {
                chatelaine_fetch(request.url, $0.baseAddress, $0.count, limits, &fetched)
            }
        }
        guard outcome == CHATELAINE_FETCHED else {
            self = .failure(FetchFailure(rawValue: UInt8(truncatingIfNeeded: outcome.rawValue)) ?? .unreachable)
            return
        }
        // SAFETY: the callee says how many bytes there are; nil and none for an empty answer.
        self = .content([UInt8](UnsafeBufferPointer(start: fetched.bytes, count: fetched.count)))
    }
}
