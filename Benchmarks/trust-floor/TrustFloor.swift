import Glibc
import SwiftASN1
import X509

/// Measures swift-certificates alone: it parses a chain, and verifies it up to one of many loaded roots.
///
///     trust-floor ROOTS.pem CHAIN.pem CALLS PAUSE    the median in microseconds; the leaf comes first in the chain
///
/// PAUSE is the time before each call, in microseconds. After a pause the code is no longer in the processor's caches,
/// as in a process that gets a request only now and then.
@main
enum TrustFloor {
    private struct Unsuitable: Error {}

    static func main() async {
        let words = CommandLine.arguments
        do {
            guard words.count == 5, let calls = Int(words[3]), calls > 0, let pause = UInt32(words[4]) else {
                throw Unsuitable()
            }
            print(try await median(roots: words[1], chain: words[2], calls: calls, pause: pause))
        } catch {
            let usage =
                "usage: trust-floor ROOTS.pem CHAIN.pem CALLS PAUSE, with a chain that ends in one of the roots\n"
            _ = usage.withCString { write(STDERR_FILENO, $0, strlen($0)) }
            exit(1)
        }
    }

    private static func median(roots: String, chain: String, calls: Int, pause: UInt32) async throws -> Double {
        let anchors = CertificateStore(try certificates(in: roots).map { try Certificate(derEncoded: $0) })
        let encoded = try certificates(in: chain)
        var times: [Double] = []
        for _ in 0..<calls {
            usleep(pause)
            let start = now
            let read = try encoded.map { try Certificate(derEncoded: $0) }
            var verifier = Verifier(rootCertificates: anchors) { RFC5280Policy() }
            let result = await verifier.validate(leaf: read[0], intermediates: CertificateStore(read.dropFirst()))
            times.append(Double(now - start) / 1000)
            guard case .validCertificate = result else { throw Unsuitable() }
        }
        return times.sorted()[calls / 2]
    }

    private static func certificates(in path: String) throws -> [[UInt8]] {
        guard let file = fopen(path, "r") else { throw Unsuitable() }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&block, 1, block.count, file)
            guard count > 0 else { break }
            bytes += block[..<count]
        }
        let documents = try PEMDocument.parseMultiple(pemString: String(decoding: bytes, as: UTF8.self))
        guard !documents.isEmpty else { throw Unsuitable() }
        return documents.map(\.derBytes)
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
