import Foundation
import Testing

/// A running copy of the probe, which takes one call at a time.
final class ProbeProcess: Sendable {
    private let program: Program

    /// - Parameters:
    ///   - prefix: words before the program, such as `unshare …`.
    ///   - variables: additional variables of its environment.
    ///   - unset: names of the household's variables that it does not get.
    ///   - complaints: a descriptor that becomes its standard error.
    init(
        _ path: String, in household: Household, prefix: [String] = [], uid: uid_t? = nil,
        variables: [String: String] = [:], unset: Set<String> = [], complaints: Int32? = nil
    ) throws {
        program = try Program(
            prefix + [path], uid: uid ?? household.uid,
            environment: household.variables.filter { !unset.contains($0.key) }.merging(variables) { $1 },
            complaints: complaints)
    }

    var pid: Int32 { program.pid }

    func call(_ name: String, _ query: [String: Any] = [:], change: [String: Any]? = nil) throws -> ProbeAnswer {
        var command: [String: Any] = ["call": name, "query": query]
        if let change { command["change"] = change }
        return try ask(command)
    }

    /// A user's decision about programs: accept, develop, forget or list; returns the status and the list.
    func decide(_ name: String, _ path: String = "") throws -> ProbeAnswer { try ask(["call": name, "path": path]) }

    /// Sends a command to the probe.
    func ask(_ command: [String: Any]) throws -> ProbeAnswer {
        try program.send(JSONSerialization.data(withJSONObject: command))
        let answer = try #require(try JSONSerialization.jsonObject(with: program.line()) as? [String: Any])
        return ProbeAnswer(status: try #require(answer["status"] as? Int), result: answer["result"])
    }

    /// Closes its input and waits for its end.
    @discardableResult
    func finish() -> Int32 { (try? program.finish()) ?? -1 }
}

/// The answer of a call.
struct ProbeAnswer {
    let status: Int
    let result: Any?

    var dictionary: [String: Any]? { result as? [String: Any] }
    var array: [[String: Any]]? { result as? [[String: Any]] }
    /// The domain of a failed call's error object.
    var domain: String? { dictionary?["domain"] as? String }
    /// The bytes of a data result.
    var data: Data? { Self.data(result) }

    static func data(_ value: Any?) -> Data? {
        (value as? [String: Any])?["data"].flatMap { $0 as? String }.flatMap { Data(base64Encoded: $0) }
    }
}
