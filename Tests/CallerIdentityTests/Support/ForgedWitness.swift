import Glibc

@testable import CallerIdentity

/// A witness whose look at a program began before the process executed it.
struct ForgedWitness: Witness {
    /// The memory of before; closed by who looks.
    let before: Int32

    func look(at sight: Sight, in folder: Int32) -> Sighting {
        let sighting = sight.open(in: folder)
        guard sight == .program, sighting.descriptors.count == 3 else { return sighting }
        close(sighting.descriptors[1])
        return Sighting(descriptors: [sighting.descriptors[0], before, sighting.descriptors[2]])
    }
}
