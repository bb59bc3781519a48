import java.io.BufferedReader;
import java.io.InputStreamReader;

public class Bot {
    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        int[] pits = new int[1];
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            int legal = line.indexOf("\"legal\":[");
            if (legal >= 0) {
                pits[0] = line.charAt(legal + 9) - '0';
                System.out.println("{\"type\":\"move\",\"pit\":" + pits[0] + "}");
            } else if (line.contains("\"hello\"") || line.contains("\"new-game\"")) {
                System.out.println("{\"type\":\"ready\"}");
            }
        }
    }
}
