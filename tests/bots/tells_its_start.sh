while read -r line; do
    case $line in
        *'"type":"turn"'*)
            legal=${line#*'"legal":['}
            echo "{\"type\":\"move\",\"pit\":${legal%%[],]*}}" ;;
        *'"type":"hello"'*)
            echo started >&2
            echo '{"type":"ready"}' ;;
        *'"type":"new-game"'*) echo '{"type":"ready"}' ;;
    esac
done
