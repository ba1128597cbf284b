import ChatelaineModel
import FetchProtocol
import Testing

/// Tests of the messages between securityd and fetchd.
struct FetchMessageTests {
    private static let requests = [
        FetchRequest(url: "http://a/"),
        FetchRequest(url: "HTTP://a:8080/b?c", body: [1], seconds: 1, ports: [80, 8080]),
        FetchRequest(
            url: "http://" + String(repeating: "a", count: FetchLimits.maximumURLBytes - 7),
            body: [UInt8](repeating: 1, count: FetchLimits.maximumBodyBytes),
            ports: [UInt16](repeating: 65535, count: FetchLimits.maximumPorts)),
    ].compactMap { $0 }

    private static let replies: [FetchReply] =
        [.content([]), .content([UInt8](repeating: 1, count: FetchLimits.maximumAnswerBytes))]
        + FetchFailure.allCases.map { .failure($0) }

    private static func encoding(_ value: some CBORValue) -> [UInt8] {
        var writer = CBORWriter()
        value.encode(to: &writer)
        return writer.finishArray()
    }

    @Test func messagesComeBack() throws {
        #expect(Self.requests.count == 3)
        for request in Self.requests {
            let bytes = Self.encoding(request)
            #expect(try bytes.withUnsafeBytes { try FetchRequest(frame: $0) } == request)
            #expect(bytes.count <= FetchWire.maximumRequestBytes)
        }
        for reply in Self.replies {
            let bytes = Self.encoding(reply)
            #expect(try bytes.withUnsafeBytes { try FetchReply(frame: $0) } == reply)
            #expect(bytes.count <= FetchWire.maximumReplyBytes)
        }
    }

    @Test func cutAndLongerOnesAreRefused() throws {
        for bytes in Self.requests.prefix(2).map({ Self.encoding($0) }) {
            for count in 0..<bytes.count {
                #expect(throws: CBORError.self) {
                    try bytes.prefix(count).withUnsafeBytes { try FetchRequest(frame: $0) }
                }
            }
            #expect(throws: CBORError.self) { try (bytes + [0]).withUnsafeBytes { try FetchRequest(frame: $0) } }
        }
    }

    /// Each map has one value beyond its limit.
    @Test func whatIsBeyondABoundIsRefused() throws {
        func message(
            version: UInt64 = FetchWire.version, url: String = "http://a/", body: [UInt8]? = nil, seconds: UInt64 = 5,
            ports: [UInt64] = [80]
        ) -> [UInt8] {
            var writer = CBORWriter()
            writer.writeMap {
                $0.write(Key.version, version)
                $0.write(Key.url, url)
                $0.write(Key.body, body)
                $0.write(Key.seconds, seconds)
                $0.writeArray(Key.ports, ports)
            }
            return writer.finishArray()
        }
        func isRefused(_ bytes: [UInt8]) -> Bool {
            (try? bytes.withUnsafeBytes { try FetchRequest(frame: $0) }) == nil
        }
        #expect(!isRefused(message()))
        for bytes in [
            message(version: 2), message(url: ""), message(url: "https://a/"), message(url: "file:///etc/hosts"),
            message(url: "http://a/ b"), message(url: "http://a/\r\nHost: b"), message(url: "http://\u{E4}/"),
            message(url: "http://" + String(repeating: "a", count: FetchLimits.maximumURLBytes)), message(body: []),
            message(body: [UInt8](repeating: 0, count: FetchLimits.maximumBodyBytes + 1)), message(seconds: 0),
            message(seconds: UInt64(FetchLimits.maximumSeconds) + 1), message(seconds: .max), message(ports: []),
            message(ports: [65536]), message(ports: [UInt64](repeating: 80, count: FetchLimits.maximumPorts + 1)),
        ] { #expect(isRefused(bytes)) }
        let large = FetchReply.content([UInt8](repeating: 1, count: FetchLimits.maximumAnswerBytes + 1))
        #expect(throws: CBORError.self) {
            try Self.encoding(large).withUnsafeBytes { try FetchReply(frame: $0) }
        }
    }

    private enum Key: UInt64, CBORField {
        case version = 0
        case url = 1
        case body = 2
        case seconds = 3
        case ports = 6
    }

    @Test func failuresHaveTheirNumbers() {
        #expect(FetchFailure.allCases.map(\.rawValue) == Array(1...9))
    }
}
