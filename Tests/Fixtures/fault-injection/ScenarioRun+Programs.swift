import CallerIdentity
import ChatelaineModel
import ItemStore
import TrustProtocol

/// Decisions about programs, and their effect on items.
extension ScenarioRun {
    func pin(_ program: String, _ number: UInt8) {
        var after = state
        after.programs.insert(program)
        begin([state, after])
        let attempt = { [home] () throws(KeychainError) in
            guard let path = CanonicalPath(program),
                let digest = ExecutableDigest([UInt8](repeating: number, count: 32))
            else { return }
            try home.programs().pin(path, digest: digest)
        }
        do throws(KeychainError) { try attempt() } catch {
            judge(error, "pin")
            again("pin", attempt)
        }
        settle(after)
    }

    func develop(_ folder: String) {
        decide(
            "develop \(folder)", { $0.programs.insert(folder) },
            CanonicalPath(folder).map { .develop($0, isFolder: true) })
    }

    func withdraw(_ folder: String) {
        decide(
            "withdraw \(folder)", { $0.programs.remove(folder) }, or: .itemNotFound,
            CanonicalPath(folder).map(ApplicationLedger.Decision.forget))
    }

    /// Trusts a team, with the anchor of a number.
    func addTeam(_ name: String, _ number: UInt8) {
        let record = TeamIdentifier(name).flatMap { team in
            Bytes32([UInt8](repeating: number, count: Bytes32.count)).map { key in
                TeamRecord(
                    AnchorReport(
                        anchor: TeamAnchor(owner: TeamOwner(team: team, anchorKey: key), certificate: [0x30, number]),
                        subject: "OU=\(name)", validFrom: 0, validUntil: 4_000_000_000))
            }
        }
        decide("add team \(name)", { $0.programs.insert(name) }, record.map(ApplicationLedger.Decision.addTeam))
    }

    func removeTeam(_ name: String) {
        decide(
            "remove team \(name)", { $0.programs.remove(name) }, or: .itemNotFound,
            TeamIdentifier(name).map(ApplicationLedger.Decision.removeTeam))
    }

    private func decide(
        _ what: String, _ edit: (inout ObservedState) -> Void, or also: Status? = nil,
        _ decision: ApplicationLedger.Decision?
    ) {
        guard let made = decision else { return complain("no decision: \(what)") }
        var after = state
        edit(&after)
        begin([state, after])
        let attempt = { [home] () throws(KeychainError) in try home.decide(made, Home.passcode) }
        do throws(KeychainError) { try attempt() } catch {
            judge(error, what)
            again(what, or: also, attempt)
        }
        settle(after)
    }

    /// Moves every item to another group, which no check reads, or back.
    func adopt(isReturn: Bool = false) {
        let (former, group): (AccessGroup, AccessGroup) =
            isReturn ? ("adopted", Home.group) : (Home.group, "adopted")
        let items = isReturn ? adopted : [:]
        if !isReturn { adopted = state.items }
        change(isReturn ? "move back" : "move", { $0.items = items }) { (store, request) throws(KeychainError) in
            _ = try store.moveItems(
                from: former, to: group, request: request, authorise: { _, _ in true }, use: { _ in nil })
        }
    }

    /// Records where the items of a program are.
    func noteAdoption(of program: String, _ number: UInt8) {
        var after = state
        after.programs.insert("adopted \(program)")
        begin([state, after])
        let attempt = { [home] () throws(KeychainError) in
            guard let path = CanonicalPath(program),
                let digest = ExecutableDigest([UInt8](repeating: number, count: 32))
            else { return }
            try home.programs().noteAdoption(of: path, digest, to: "adopted")
        }
        do throws(KeychainError) { try attempt() } catch {
            judge(error, "note an adoption")
            again("note an adoption", attempt)
        }
        settle(after)
    }
}
