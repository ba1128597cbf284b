import Foundation
import Testing

/// A running copy of the probe, asked one call at a time.
final class ProbeProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// - Parameter prefix: words before the program, such as `setpriv …`.
    init(_ program: String, in household: Household, prefix: [String] = [], arguments: [String] = []) throws {
        var words = prefix + [program] + arguments
        if household.uid != geteuid() {
            words =
                ["setpriv", "--reuid", "\(household.uid)", "--regid", "\(household.uid)", "--clear-groups"] + words
        }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.environment = household.variables
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    var pid: Int32 { process.processIdentifier }

    func call(_ name: String, _ query: [String: Any], change: [String: Any]? = nil) throws -> ProbeAnswer {
        var command: [String: Any] = ["call": name, "query": query]
        if let change { command["change"] = change }
        var line = try JSONSerialization.data(withJSONObject: command)
        line.append(0x0A)
        try input.fileHandleForWriting.write(contentsOf: line)
        let answer = try #require(try JSONSerialization.jsonObject(with: readLine()) as? [String: Any])
        return ProbeAnswer(status: try #require(answer["status"] as? Int), result: answer["result"])
    }

    /// Closes its input and waits for its end.
    @discardableResult
    func finish() -> Int32 {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private func readLine() throws -> Data {
        var line = Data()
        while true {
            let byte = output.fileHandleForReading.readData(ofLength: 1)
            guard let byte = byte.first else { throw ProbeError.ended }
            if byte == 0x0A { return line }
            line.append(byte)
        }
    }
}

enum ProbeError: Error {
    case ended
}

/// What a call answered.
struct ProbeAnswer {
    let status: Int
    let result: Any?

    var dictionary: [String: Any]? { result as? [String: Any] }
    var array: [[String: Any]]? { result as? [[String: Any]] }
    /// The bytes of a data result.
    var data: Data? { Self.data(result) }

    static func data(_ value: Any?) -> Data? {
        (value as? [String: Any])?["data"].flatMap { $0 as? String }.flatMap { Data(base64Encoded: $0) }
    }
}
