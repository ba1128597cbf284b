import CallerIdentity
import ChatelaineModel
import Foundation
import InProcess
import StoredHomes
import TrustProtocol

extension InProcessHome {
    /// The decisions in the list of programs besides the programs themselves, nil where there are none.
    ///
    /// Only teams that count are included.
    func decisions() throws -> ExpectedHome.Decisions? {
        let ledger = try programs()
        var decisions = ExpectedHome.Decisions()
        decisions.teams = ledger.teams().filter { ledger.counts($0) }.map { record in
            ExpectedHome.Decisions.Team(
                team: record.owner.team.text, anchorKey: "\(record.owner.anchorKey)",
                certificate: ExpectedHome.hexadecimal(record.certificate), subject: record.subject,
                validFrom: record.validFrom, validUntil: record.validUntil)
        }
        decisions.adoptions = ledger.adoptions().map { record in
            ExpectedHome.Decisions.Adoption(
                path: record.path.text, digest: "\(record.digest)", group: record.group.text)
        }
        decisions.changes = ledger.changes().map { record in
            ExpectedHome.Decisions.Change(
                path: record.path.text, former: "\(record.former)", digest: "\(record.digest)")
        }
        return decisions == ExpectedHome.Decisions() ? nil : decisions
    }
}

extension ToolRun {
    /// The teams whose signatures count, as `security app team list` reports them.
    func teams() throws -> [String] {
        let listed = try security("app", "team", "list", "--json")
        let teams = try JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [[String: Any]] ?? []
        return teams.filter { ($0["problem"] as? String ?? "").isEmpty }.compactMap { $0["team"] as? String }
    }
}
