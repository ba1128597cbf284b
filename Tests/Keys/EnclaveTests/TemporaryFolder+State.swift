import TestSupport

extension TemporaryFolder {
    /// The custodian's folder below, which does not exist yet.
    var state: String { path + "/state" }
}
