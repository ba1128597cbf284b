import ChatelaineModel

/// A command line that a verb of macOS's cannot make sense of: its usage follows on standard error, and the exit status is 2.
struct MacUsage: Error, Equatable {
    let text: String?

    init(_ text: String? = nil) { self.text = text }
}

/// What a call of Apple's would have failed with. It is told as macOS tells it: `security: FUNCTION ARGUMENT: MESSAGE`.
struct MacFailure: Error {
    /// The function, and behind it what it was about where Apple says that.
    let call: String
    let error: KeychainError
    /// Nil for the low byte of the status.
    var exitStatus: Int32?

    /// Scripts look for the first line; what happened to which thing, and what to do about it, is in the second one.
    var lines: [String] {
        let message = StatusCatalogue.entry(for: error.status.rawValue)?.message ?? "OSStatus \(error.status.rawValue)"
        return ["\(call): \(message)"] + (error.reason.isEmpty ? [] : [error.reason])
    }
}

extension MacVerb {
    /// Does what a function of Apple's does.
    ///
    /// - Parameters:
    ///   - argument: what Apple's command names in the error.
    ///   - exitStatus: where a verb does not end with the low byte of the status.
    static func calling<Answer>(
        _ function: String, _ argument: String? = nil, exitStatus: Int32? = nil,
        _ body: () throws(KeychainError) -> Answer
    ) throws(MacFailure) -> Answer {
        do throws(KeychainError) { return try body() } catch {
            throw MacFailure(
                call: argument.map { "\(function) \($0)" } ?? function, error: error, exitStatus: exitStatus)
        }
    }
}
