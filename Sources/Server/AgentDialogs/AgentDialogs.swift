/// The module of security-agent, which shows one dialog for securityd and ends.
///
/// ``DialogAgent`` answers securityd (`AgentProtocol`). ``DialogText`` makes sentences of the question, in which
/// ``PlainText`` holds every text that strangers have chosen. ``Pinentry`` shows them: a program of the system, which
/// is spoken to over pipes (Assuan).
///
/// Typed text comes from pinentry into secret memory, and goes into a pipe that leads to enclaved.
package enum AgentDialogs {}
