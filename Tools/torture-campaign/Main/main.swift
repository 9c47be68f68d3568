import Foundation
import TortureCampaign

exit(Campaign.run(CommandLine.arguments))
