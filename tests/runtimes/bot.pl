# Answers with the first legal pit, by way of another program.
use strict;
$| = 1;
while (my $line = <STDIN>) {
    last if $line =~ /"type":"quit"/;
    next if $line =~ /"type":"game-over"/;
    if ($line =~ /"type":"turn"/) {
        my ($pit) = $line =~ /"legal":\[(\d)/;
        chomp(my $said = `echo $pit`);
        print "{\"type\":\"move\",\"pit\":$said}\n";
    } else {
        print "{\"type\":\"ready\"}\n";
    }
}
