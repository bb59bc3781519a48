while read -r line; do
    case $line in
        *'"type":"turn"'*)
            sleep 0.005
            legal=${line#*'"legal":['}
            echo "{\"type\":\"move\",\"pit\":${legal%%[],]*}}" ;;
        *'"type":"hello"'* | *'"type":"new-game"'*) echo '{"type":"ready"}' ;;
    esac
done
