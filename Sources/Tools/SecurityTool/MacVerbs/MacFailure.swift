import ChatelaineModel

/// A wrong use of a verb of macOS: its usage follows on standard error, and the exit status is 2.
struct MacUsage: Error, Equatable {
    let text: String?

    init(_ text: String? = nil) { self.text = text }
}

/// A failure of an operation that Apple's command does with one call.
///
/// It is reported in macOS's form: `security: FUNCTION ARGUMENT: MESSAGE`.
struct MacFailure: Error {
    /// The function, followed by its object if Apple names that.
    let call: String
    let error: KeychainError
    /// Nil for the low byte of the status.
    var exitStatus: Int32?

    /// The lines to report. Scripts look for the first; the second says what happened and what to do about it.
    var lines: [String] {
        let message = StatusCatalogue.message(of: error.status.rawValue)
        return ["\(call): \(message)"] + (error.reason.isEmpty ? [] : [error.reason])
    }

    func report(in context: ToolContext) { for line in lines { context.complain(line) } }
}

extension MacVerb {
    /// Performs an operation that Apple's command does with one call.
    ///
    /// - Parameters:
    ///   - argument: the object that Apple's command names in the error.
    ///   - exitStatus: the exit status, if it is not the low byte of the status.
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
