/// A failure on this side of the Keychain; the text follows `security: `.
enum ToolError: Error, Equatable {
    /// The command line is wrong; the usage line follows the text.
    case usage(String)
    case failure(String, exitStatus: Int32 = ExitStatus.failure)
}
