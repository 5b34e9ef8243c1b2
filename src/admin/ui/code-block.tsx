import classes from './code-block.module.css'
import { CopyButton } from './copy-field.tsx'

interface CodeBlockProps {
  code: string
  /** The text to copy. Default: `code`. */
  copied?: string
  copyLabel: string
}

/** Code with a copy button. */
export function CodeBlock({ code, copied = code, copyLabel }: CodeBlockProps) {
  return (
    <div className={classes.code}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard. */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
      <div className={classes.copy}>
        <CopyButton value={copied} label={copyLabel} />
      </div>
    </div>
  )
}
