import TestSupport

extension TemporaryFolder {
    /// The path of the custodian's state folder, which does not exist yet.
    var state: String { path + "/state" }
}
