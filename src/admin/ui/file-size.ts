import { useFormatter } from 'use-intl'

/** Returns a function that formats a number of bytes, such as 2.3 MB. */
export function useFileSize(): (bytes: number) => string {
  const format = useFormatter()
  return (bytes) => {
    const [unit, size] =
      bytes < 1024
        ? (['byte', bytes] as const)
        : bytes < 1024 * 1024
          ? (['kilobyte', bytes / 1024] as const)
          : bytes < 1024 * 1024 * 1024
            ? (['megabyte', bytes / (1024 * 1024)] as const)
            : (['gigabyte', bytes / (1024 * 1024 * 1024)] as const)
    return format.number(size, {
      style: 'unit',
      unit,
      unitDisplay: unit === 'byte' ? 'long' : 'short',
      maximumFractionDigits: unit === 'megabyte' || unit === 'gigabyte' ? 1 : 0,
    })
  }
}
