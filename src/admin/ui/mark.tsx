/**
 * Imori's logo: a curled newt with a dark back and a belly with vermilion spots. The colours follow the colour scheme.
 */
export function Mark({ size = 28 }: { size?: number }) {
  const back = 'var(--imori-mark-back)'
  return (
    <svg width={size} height={size} viewBox="0 0 64 64" fill="none" aria-hidden="true">
      <g stroke={back} strokeLinecap="round" strokeLinejoin="round">
        <path strokeWidth="4" d="M22 18 L13 11 M14 38 L5 42 M46 47 L52 56 M27 52 L22 60" />
        <path strokeWidth="13" d="M41 17 C28 10 15 19 16 33 C17 46 30 53 41 47" />
        <path strokeWidth="8" d="M41 47 C50 42 50 31 42 29" />
        <path strokeWidth="4.5" d="M42 29 C36 27.5 32 31 34 35" />
      </g>
      <ellipse cx="44" cy="18" rx="11" ry="8.5" transform="rotate(24 44 18)" fill={back} />
      <path
        d="M37 20.5 C28.5 16.5 20.5 23 21 33 C21.7 42.5 30.5 47.5 39 43.5"
        stroke="var(--imori-hara)"
        strokeWidth="4"
        strokeLinecap="round"
        strokeDasharray="0.1 7.2"
      />
      <g fill="var(--imori-mark-eye)">
        <circle cx="46" cy="13.5" r="1.8" />
        <circle cx="50" cy="20.5" r="1.8" />
      </g>
    </svg>
  )
}
