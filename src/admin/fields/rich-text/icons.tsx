interface IconProps {
  size: number
}

const stroke = {
  viewBox: '0 0 24 24',
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 2,
  strokeLinecap: 'round',
} as const

/** Icon for emphasis dots, which the icon set does not contain. */
export function IconDotsAbove({ size }: IconProps) {
  return (
    <svg width={size} height={size} {...stroke} aria-hidden="true">
      <path d="M7 3v.01M17 3v.01" strokeWidth={4} />
      <path d="M4 21l7 -12h2l7 12M7 17h10" />
    </svg>
  )
}

/** Icon for ruby. */
export function IconReading({ size }: IconProps) {
  return (
    <svg width={size} height={size} {...stroke} aria-hidden="true">
      <path d="M6 3h3M12 3h6M6 6.5h6M15 6.5h3" strokeWidth={1.8} />
      <path d="M5 21l6 -10h2l6 10M8 17h8" />
    </svg>
  )
}
