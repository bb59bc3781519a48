#include <iostream>
#include <string>
#include <vector>

int main() {
    std::string line;
    std::vector<int> best;
    while (std::getline(std::cin, line)) {
        if (line.find("\"type\":\"turn\"") != std::string::npos) {
            std::cout << "{\"type\":\"move\",\"pit\":" << best.at(0) << "}" << std::endl;
        } else if (line.find("\"quit\"") == std::string::npos &&
                   line.find("\"game-over\"") == std::string::npos) {
            std::cout << "{\"type\":\"ready\"}" << std::endl;
        }
    }
}
