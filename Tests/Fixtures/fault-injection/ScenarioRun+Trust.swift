import ChatelaineModel
import InProcess

/// Changes of trust settings.
extension ScenarioRun {
    /// Replaces all trust settings with a denial of each of these certificates.
    func setTrust(_ names: [String]) {
        let what = "trust \(names)"
        var after = state
        after.trust = Set(names)
        begin([state, after])
        let settings: [TrustSetting] = names.map { name in
            TrustSetting(
                certificate: Array(name.utf8), subject: [], summary: name,
                constraints: [TrustConstraint(.deny)], modified: 0)
        }
        let attempt = { [home] () throws(KeychainError) in try home.setTrust(settings, Home.passcode) }
        do throws(KeychainError) { try attempt() } catch {
            judge(error, what)
            again("look at what is trusted after \(what)") { () throws(KeychainError) in try compareTrust() }
            again(what, attempt)
        }
        settle(after)
    }

    /// Checks that the settings are those that were set, or that an error says they cannot be read, never that they are
    /// lost.
    func seeTrust() {
        do throws(KeychainError) { try compareTrust() } catch { judge(error, "look at what is trusted") }
    }

    private func compareTrust() throws(KeychainError) {
        let found = try home.trusted()
        if !expectation.states.contains(where: { $0.trust == found }) {
            complain("there are settings of trust for \(found.sorted())")
        }
    }
}
