import ChatelaineModel
import Glibc

/// Says where the distribution's certificates are missing, as in small containers: no chain leads to an anchor then.
struct SystemRootsCheck {
    var places = DistributionRoots.places

    func findings() -> [Finding] {
        guard !places.contains(where: { access($0, F_OK) == 0 }) else { return [] }
        return [
            Finding(
                "trust.roots", .degraded,
                "no certificates of the distribution are installed: no program\u{2019}s evaluation of a server ends well, unless it brings anchors of its own",
                remedy: "install the package ca-certificates")
        ]
    }
}
